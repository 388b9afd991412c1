import { afterEach } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { TestServer } from '../test-server.js';
import { buildClient } from './packed-client.js';
import type { InstalledClient } from './installed-client.js';

/** Builds an adapter of `clients/` and the client that it uses, so that programs in its folder find it by its name. */
export function buildAdapter(name: string, { folder }: InstalledClient): void {
  for (const one of ['typescript', name]) buildClient(one);
  const link = path.join(folder, 'node_modules', '@waystation', name);
  mkdirSync(path.dirname(link), { recursive: true });
  rmSync(link, { force: true, recursive: true });
  symlinkSync(folder, link, 'junction');
}

/** What the compiler says about an adapter and the framework that it is for: its build does not ask. Empty where all is well. */
export function typeFaultsOf({ folder, program }: InstalledClient): string {
  return spawnSync(program('tsc'), ['-p', '.', '--noEmit'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Programs that run: one that waits for the API for ever would outlive a test that fails. */
const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of an adapter that runs. */
export interface StartedProgram {
  /** @throws Error with what it said when it has ended: nobody need wait for what it was to do */
  assertRunning(): void;
  /** What it has printed so far, line by line. */
  lines(): string[];
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Its end. @returns the lines that it printed @throws Error with what it said when it fails */
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

/** Runs a program of an adapter to its end. @returns the lines that it printed @throws Error with what it said when it fails */
export function runProgram(...program: Parameters<typeof startProgram>): Promise<string[]> {
  return startProgram(...program).ended();
}
