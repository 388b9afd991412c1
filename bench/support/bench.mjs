import { Generator } from '../generator/generator.mjs';
import { Cleanup } from './cleanup.mjs';

/** State shared by all workloads of a run. */
export class Bench {
  /** Wrong responses and failed steps so far. */
  faultCount = 0;
  cleanup = new Cleanup();
  generator = new Generator();

  /** @param {import('./options.mjs').Options} options */
  constructor(options) {
    this.options = options;
    this.cleanup.add(async () => this.generator.stop());
  }

  /** @param {string} where @param {{faultCount: number, faults: string[]}} result @param {string} log end of the server's log */
  reportFaults(where, { faultCount, faults }, log) {
    this.faultCount += faultCount;
    console.error(`WRONG ANSWERS (${where}): ${faultCount}`);
    for (const fault of faults) console.error(`  ${fault}`);
    if (log !== '') console.error(log.slice(1));
  }

  /** @param {string} where @param {Error} error */
  reportFailure(where, error) {
    this.faultCount += 1;
    console.error(`FAILED (${where}): ${error.message}`);
  }
}
