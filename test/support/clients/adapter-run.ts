import { afterEach } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { TestServer } from '../test-server.js';
import { buildClient } from './packed-client.js';
import type { InstalledClient } from './installed-client.js';

/** Builds an adapter of `clients/` and the client that it uses, so that programs in its folder find it by name. */
export function buildAdapter(name: string, { folder }: InstalledClient): void {
  for (const one of ['typescript', name]) buildClient(one);
  const link = path.join(folder, 'node_modules', '@waystation', name);
  mkdirSync(path.dirname(link), { recursive: true });
  rmSync(link, { force: true, recursive: true });
  symlinkSync(folder, link, 'junction');
}

/** The compiler's errors for an adapter with its framework, which the adapter's build does not check. Empty if there are none. */
export function typeFaultsOf({ folder, program }: InstalledClient): string {
  return spawnSync(program('tsc'), ['-p', '.', '--noEmit'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Running programs: one that waits for the API for ever would outlive a failed test. */
const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A running program of an adapter. */
export interface StartedProgram {
  /** @throws Error with its output if it has ended, so nobody waits in vain */
  assertRunning(): void;
  /** Its output so far, line by line. */
  lines(): string[];
  /** Kills it, as a crash does. */
  kill(): Promise<void>;
  /** Waits for its end. @returns its lines of output @throws Error with its output if it failed */
  ended(): Promise<string[]>;
}

/** Starts a program of an adapter against the server. */
export function startProgram(
  { folder }: InstalledClient,
  server: TestServer,
  [file, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
): StartedProgram {
  if (!existsSync(path.join(folder, file))) throw new Error(`There is no ${file} in ${folder}.`);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...process.env, WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token, ...env },
  });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString('utf8')));
  running.add(child);
  child.once('close', () => running.delete(child));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const ending = () => `${file} ended with ${child.exitCode ?? child.signalCode}: ${complaints}`;
  const lines = () => printed.trim().split('\n');
  return {
    lines,
    assertRunning() {
      if (!running.has(child)) throw new Error(ending());
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async ended() {
      const [code] = await closed;
      if (code !== 0) throw new Error(ending());
      return lines();
    },
  };
}

/** Runs a program of an adapter to its end. @returns its lines of output @throws Error with its output if it failed */
export function runProgram(...program: Parameters<typeof startProgram>): Promise<string[]> {
  return startProgram(...program).ended();
}
