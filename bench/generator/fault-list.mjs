const SAMPLES = 5;

/** Counts wrong responses and keeps the first few different ones to show. */
export class FaultList {
  count = 0;
  /** @type {string[]} */
  samples = [];

  /** @param {string | null} fault null for none */
  add(fault) {
    if (fault === null) return;
    this.count += 1;
    if (this.samples.length < SAMPLES && !this.samples.includes(fault)) this.samples.push(fault);
  }
}
