// Where the tests of a file run, with what would be the same in each of them made once for each worker: jest loads the modules of
// every file anew, and the schemas of all answers took longer to compile than many files to run.
import { TestEnvironment } from 'jest-environment-node';
import { faultIn } from './documented.mjs';

export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // As a getter: jest empties at the end of a file what is a value here.
    Object.defineProperty(this.global, 'WAYSTATION_FAULT_IN', { get: () => faultIn });
  }
}
