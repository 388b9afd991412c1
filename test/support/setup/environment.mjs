// Where the tests of a file run, with what would be the same in each of them made once for each worker: jest loads the modules of
// every file again, and the schemas of all answers took longer to compile than many files to run.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { faultIn } from './documented.mjs';

/** A file to which each file of tests adds a line with the CPU time that it took; the wall clock says little where workers share cores. */
const CPU_FILE = process.env.WAYSTATION_TEST_CPU;

/** The process of the whole run: the parent of a worker, or this one where jest runs without workers. */
const RUN_PID = process.send === undefined ? process.pid : process.ppid;

export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.cpuBefore = CPU_FILE ? cpuSeconds() : 0;
    this.testFile = `${path.relative(config.globalConfig.rootDir, context.testPath)} ${config.projectConfig.displayName.name}`;
    // As a getter: jest empties at the end of a file what is a value here.
    Object.defineProperty(this.global, 'WAYSTATION_FAULT_IN', { get: () => faultIn });
    this.global.WAYSTATION_RUN_PID = RUN_PID;
  }

  async teardown() {
    await super.teardown();
    if (CPU_FILE) appendFileSync(CPU_FILE, `${(cpuSeconds() - this.cpuBefore).toFixed(2)} ${this.testFile}\n`);
  }
}

/** Of this worker, and of the processes that it has started and seen end (proc(5)), in ticks of a hundredth of a second; not of PostgreSQL. */
function cpuSeconds() {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
