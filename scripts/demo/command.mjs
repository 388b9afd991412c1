import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLI = path.join(ROOT, 'dist', 'cli.js');

/** Runs `waystation ...` on this terminal, with its settings. Returns the exit code. */
export function runCommandHere(args) {
  return spawnSync(process.execPath, [CLI, ...args], { stdio: 'inherit' }).status ?? 1;
}

/** Starts `waystation ...` as a user of this server. */
export function startCommand({ url, token }, args, { env = {}, stdio = ['ignore', 'pipe', 'pipe'] } = {}) {
  return spawn(process.execPath, [CLI, ...args], {
    cwd: ROOT,
    env: { ...process.env, WAYSTATION_API_URL: url, WAYSTATION_TOKEN: token, WAYSTATION_TOKEN_FILE: '', ...env },
    stdio,
  });
}

/** Runs it to its end and returns its output. */
export async function runCommand(server, args) {
  const child = startCommand(server, args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`waystation ${args.join(' ')}: ${output.trim()}`);
  return output.trim();
}
