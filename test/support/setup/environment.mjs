// The environment of a test file. Creates once per worker what all files share: Jest loads modules again for every file, and compiling
// the schemas of all responses took longer than running many of the files.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { faultIn } from './documented.mjs';

/** Each test file appends a line with its CPU time to this file; elapsed time says little when workers share cores. */
const CPU_FILE = process.env.WAYSTATION_TEST_CPU;

/** The run's main process: the parent of a worker, or this process if Jest runs without workers. */
const RUN_PID = process.send === undefined ? process.pid : process.ppid;

export default class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.cpuBefore = CPU_FILE ? cpuSeconds() : 0;
    this.testFile = `${path.relative(config.globalConfig.rootDir, context.testPath)} ${config.projectConfig.displayName.name}`;
    // A getter, because Jest empties values at the end of a file.
    Object.defineProperty(this.global, 'WAYSTATION_FAULT_IN', { get: () => faultIn });
    this.global.WAYSTATION_RUN_PID = RUN_PID;
  }

  /** Lets what a failed test has open say how it looks, before that is closed. */
  async handleTestEvent({ name }) {
    if (name === 'test_fn_failure') await this.global.WAYSTATION_ON_FAILURE?.();
  }

  async teardown() {
    await super.teardown();
    if (CPU_FILE) appendFileSync(CPU_FILE, `${(cpuSeconds() - this.cpuBefore).toFixed(2)} ${this.testFile}\n`);
  }
}

/** CPU time of this worker and its ended child processes (proc(5)), in ticks of a hundredth of a second; excludes PostgreSQL. */
function cpuSeconds() {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
