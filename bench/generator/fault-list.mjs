const SAMPLES = 5;

/** Counts what was answered wrongly and keeps the first few different ones, to show. */
export class FaultList {
  count = 0;
  /** @type {string[]} */
  samples = [];

  /** @param {string | null} fault null is no fault */
  add(fault) {
    if (fault === null) return;
    this.count += 1;
    if (this.samples.length < SAMPLES && !this.samples.includes(fault)) this.samples.push(fault);
  }
}
