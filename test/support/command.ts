import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runHostedCommand } from './hosted-program.js';
import type { TestStorage } from './storage.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Commands that may go on until a signal. */
const SERVING = ['serve', 'agent'];

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  /** kill -9 after this many milliseconds, if it still runs then. */
  killAfterMs?: number;
  /** kill -9 as soon as this returns true; called repeatedly while it runs. */
  killWhen?: () => Promise<boolean>;
  /** Whether it gets a process of its own; default false, but for what is killed and what serves. */
  isAlone?: boolean;
}

/** Runs `waystation ...` with the given storage, and waits for its end. An undefined variable is unset. */
export function runCommand(
  storage: TestStorage,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  { killAfterMs, killWhen, isAlone = SERVING.includes(args[0]!) || 'NODE_OPTIONS' in env }: CommandOptions = {},
): Promise<CommandResult> {
  const { PATH, HOME } = process.env;
  const variables = { PATH, HOME, ...storage.env, ...env };
  if (!isAlone && killAfterMs === undefined && !killWhen) return runHostedCommand(storage.home, variables, args);
  const child = spawn(process.execPath, [path.join(PROJECT, 'dist/cli.js'), ...args], {
    cwd: storage.home,
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  if (killWhen) void killOnce(child, killWhen);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(killer);
      resolve({ code, ...output });
    });
  });
}

async function killOnce(child: ChildProcess, isTime: () => Promise<boolean>): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    if (await isTime().catch(() => false)) child.kill('SIGKILL');
    await pause(2);
  }
}
