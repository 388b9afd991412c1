import { spawn, spawnSync } from 'node:child_process';
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

/**
 * Runs a program of an adapter against the server.
 * @returns the lines that it printed
 * @throws Error with what it said when it fails
 */
export async function runProgram(
  { folder }: InstalledClient,
  server: TestServer,
  [file, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Promise<string[]> {
  if (!existsSync(path.join(folder, file))) throw new Error(`There is no ${file} in ${folder}.`);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...process.env, WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: server.api.token, ...env },
  });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${complaints}`);
  return printed.trim().split('\n');
}
