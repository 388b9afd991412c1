/** A small seeded generator (mulberry32), so that every run and both processes see the same corpus. */
export class Random {
  #state;

  /** @param {number} seed any 32 bit integer */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** @returns {number} at least 0, below 1 */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** @param {number} limit @returns {number} an integer of 0 to limit - 1 */
  below(limit) {
    return Math.floor(this.next() * limit);
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** @param {number} digits @returns {string} */
  hex(digits) {
    let text = '';
    while (text.length < digits) text += this.below(0x1000000).toString(16).padStart(6, '0');
    return text.slice(0, digits);
  }

  /** @returns {string} shaped like a UUID of version 4 */
  uuid() {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`;
  }
}

/**
 * Spreads seed and number over 32 bits, so that neighbouring threads do not have related texts.
 * @param {number} seed @param {number} number @returns {number}
 */
export function derivedSeed(seed, number) {
  return (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
}
