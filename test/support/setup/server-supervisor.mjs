// Runs one server until the test run ends in any way, then stops it and removes its storage. Jest's workers come and go meanwhile.
// Prints the server's output. Arguments: the file for its address, the pid of the run, node's arguments for the server as JSON, the home,
// and the URLs of the database and its cluster, if any.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import pg from 'pg';

const [note, runPid, program, home, databaseUrl, clusterUrl] = process.argv.slice(2);
const server = spawn(process.execPath, JSON.parse(program), {
  cwd: home,
  stdio: ['ignore', 'inherit', 'inherit'],
});

const hasEnded = once(server, 'exit');
const runHasEnded = new Promise((resolve) => {
  const timer = setInterval(() => {
    if (isRunning(Number(runPid))) return;
    clearInterval(timer);
    resolve();
  }, 500);
});
await Promise.race([runHasEnded, hasEnded]);
server.kill('SIGTERM');
await hasEnded;
rmSync(note, { force: true });
rmSync(home, { recursive: true, force: true });
if (databaseUrl !== undefined) {
  const client = new pg.Client({ connectionString: clusterUrl });
  // The cluster may already be gone, with the database.
  client.on('error', () => undefined);
  await client.connect().catch(() => process.exit());
  await client.query(`DROP DATABASE IF EXISTS ${new URL(databaseUrl).pathname.slice(1)} WITH (FORCE)`);
  await client.end();
}
process.exit();

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
