// Starts PostgreSQL in a separate, supervised process, and controls it.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const supervisor = path.join(import.meta.dirname, 'postgres-supervisor.mjs');

/** @param {{ durable?: boolean }} [options] */
export async function startPostgres(options = {}) {
  removeLeftovers();
  const child = spawn(process.execPath, [supervisor, ...(options.durable ? ['--durable'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await answers.next()).value ?? '{"error":"the supervisor ended"}');
  const ready = await next();
  if (ready.error) throw new Error(`PostgreSQL could not be started: ${ready.error}`);
  const command = async (line) => {
    child.stdin.write(`${line}\n`);
    await next();
  };
  return {
    url: ready.url,
    databaseDir: ready.databaseDir,
    kill: () => command('kill'),
    start: () => command('start'),
    async stop() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.stdin.end();
      await ended;
    },
  };
}

/** Stops and removes clusters whose supervisor was killed (a power cut, kill -9 of everything). */
function removeLeftovers() {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^waystation-test-postgres-(\d+)-/.exec(name)?.[1];
    if (!owner || isAlive(Number(owner))) continue;
    const folder = path.join(tmpdir(), name);
    const postmaster = postmasterOf(path.join(folder, 'data'));
    if (postmaster) process.kill(postmaster, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** The process that serves this folder; after a reboot, the recorded process id may belong to any other. */
function postmasterOf(databaseDir) {
  try {
    const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(databaseDir) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
