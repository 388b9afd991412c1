import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { TestStorage } from './storage.js';
import { waitFor } from './wait.js';

const CLI = path.resolve(import.meta.dirname, '../../dist/cli.js');

/** `waystation ...` with its output in pipes, for commands that do not end on their own. */
export class FollowingCommand {
  stdout = '';
  stderr = '';
  private ended: { code: number | null; signal: NodeJS.Signals | null } | null = null;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    child.stderr!.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    child.once('close', (code, signal) => (this.ended = { code, signal }));
  }

  static start(storage: TestStorage, args: readonly string[], env: Record<string, string> = {}): FollowingCommand {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: storage.home,
      env: { PATH, HOME, TZ: 'UTC', ...storage.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new FollowingCommand(child);
  }

  /** The JSON lines received so far from standard output. */
  get jsonLines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async until(what: string, isThere: (command: this) => boolean): Promise<void> {
    await waitFor(`${what}; it printed ${this.stdout} and ${this.stderr}`, () => isThere(this) || this.ended !== null);
    expect([what, isThere(this), this.stdout, this.stderr]).toEqual([what, true, this.stdout, this.stderr]);
  }

  /** Stops reading its output, as `| head` does. */
  stopReading(): void {
    this.child.stdout!.destroy();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child.kill(signal);
  }

  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return waitFor('the end of the command', () => this.ended ?? undefined);
  }
}
