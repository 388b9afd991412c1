/** The same numbers each time, so that demonstrations look alike. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed;
  }

  /** From 0 to less than 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(from, to) {
    return from + this.next() * (to - from);
  }

  whole(from, to) {
    return Math.floor(this.between(from, to + 1));
  }

  of(list) {
    return list[Math.floor(this.next() * list.length)];
  }
}
