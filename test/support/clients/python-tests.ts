import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Python } from './python-with.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');

/** The outcome of one test of a Python package. */
export interface PythonOutcome {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  /** The traceback, or the reason for skipping. */
  detail: string;
}

/** The tests of `clients/<folder>/tests/report.py`. */
export class PythonTests {
  private readonly outcomes = new Map<string, PythonOutcome>();
  private words = '';

  constructor(
    private readonly folder: string,
    private readonly python: Python,
  ) {}

  /** The names of the tests, without running them. */
  names(): string[] {
    const { status, stdout, stderr } = spawnSync(this.python.path, [this.program, '--list'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The tests of ${this.folder} cannot be listed: ${stderr}`);
    return JSON.parse(stdout) as string[];
  }

  /** @param env in addition to this process's */
  async run(env: Readonly<Record<string, string>>): Promise<void> {
    const child = spawn(this.python.path, [this.program], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (this.words += chunk.toString('utf8')));
    await once(child, 'close');
    for (const line of printed.split('\n').filter(Boolean)) {
      const outcome = JSON.parse(line) as PythonOutcome;
      this.outcomes.set(outcome.name, outcome);
    }
  }

  /** @throws Error with the traceback if it failed, or if it was not reached */
  check(name: string): void {
    const outcome = this.outcomes.get(name);
    if (outcome === undefined) throw new Error(`It was not reached: ${this.words.slice(-5_000)}`);
    if (outcome.outcome === 'failed') throw new Error(`${outcome.detail}\n${this.words.slice(-2_000)}`);
    if (outcome.outcome === 'skipped') process.stderr.write(`\n!!! NOT TESTED: ${name}: ${outcome.detail}\n\n`);
  }

  private get program(): string {
    return path.join(CLIENTS, this.folder, 'tests/report.py');
  }
}
