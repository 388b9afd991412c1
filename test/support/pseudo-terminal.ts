import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { findProgram } from './find-program.js';
import type { TestStorage } from './storage.js';
import { waitFor } from './wait.js';

const CLI = path.resolve(import.meta.dirname, '../../dist/cli.js');

export interface TerminalOptions {
  /** Default 80. */
  columns?: number;
  env?: Record<string, string>;
  /** A shell command that then runs on the same terminal. */
  afterwards?: string;
}

/** Whether this machine can give a program a terminal, with `script` of util-linux; prints a notice if not. */
export function canOpenTerminals(): boolean {
  return process.platform === 'linux' && findProgram('script', 'the command line on a terminal') !== null;
}

/** `waystation ...` on its own terminal, with a person at the keyboard. */
export class PseudoTerminal {
  /** Everything written to the screen so far. */
  screen = '';
  private code: number | null = null;
  private hasEnded = false;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => (this.screen += chunk.toString('utf8')));
    child.once('close', (code) => {
      this.code = code;
      this.hasEnded = true;
    });
  }

  static open(storage: TestStorage, args: readonly string[], options: TerminalOptions = {}): PseudoTerminal {
    const { columns, env, afterwards = '' } = options;
    const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const command = `${words}; code=$?; ${afterwards || ':'}; exit $code`;
    return PseudoTerminal.shell(command, { cwd: storage.home, columns, env: { ...storage.env, ...env } });
  }

  /** Runs a shell command. */
  static shell(command: string, options: { cwd: string; columns?: number; env?: Record<string, string> }) {
    const { cwd, columns = 80, env = {} } = options;
    const { PATH, HOME } = process.env;
    const child = spawn('script', ['-qefc', `stty rows 40 cols ${columns}; ${command}`, '/dev/null'], {
      cwd,
      env: { PATH, HOME, TERM: 'xterm-256color', SHELL: '/bin/sh', LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return new PseudoTerminal(child);
  }

  /** The text without colours and other codes. */
  get text(): string {
    return this.screen.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  }

  type(keys: string): void {
    this.child.stdin!.write(keys);
  }

  async until(pattern: RegExp): Promise<void> {
    await waitFor(
      `${pattern} on the screen, which shows: ${this.text}`,
      () => pattern.test(this.text) || this.hasEnded,
    );
    expect(this.text).toMatch(pattern);
  }

  /** Waits for its end. @returns the exit code */
  async end(): Promise<number | null> {
    await waitFor('the end of the command', () => this.hasEnded);
    return this.code;
  }

  kill(): void {
    if (!this.hasEnded) this.child.kill('SIGKILL');
  }
}
