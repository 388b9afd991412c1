import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { CommandResult } from './command.js';
import type { TestStorage } from './storage.js';

const CLI = path.resolve(import.meta.dirname, '../../dist/cli.js');

export interface HookProcess {
  child: ChildProcess;
  ended: Promise<CommandResult & { endedMs: number }>;
}

/**
 * Runs `waystation hook run ...` as a coding agent does.
 * @param input an object is passed as JSON
 * @param cwd the coding agent's working directory
 */
export function startHook(
  storage: TestStorage,
  args: readonly string[],
  input: object | string,
  env: Record<string, string> = {},
  cwd: string = storage.home,
): HookProcess {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [CLI, 'hook', 'run', ...args], {
    cwd,
    env: { PATH, HOME, ...storage.env, ...env },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
  const ended = new Promise<CommandResult & { endedMs: number }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output, endedMs: performance.now() }));
  });
  return { child, ended };
}
