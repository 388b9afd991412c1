// Runs one server of the built program for as long as the standard input stays open, then ends it and removes what it stored.
// It so ends with the worker of jest that asked for it, whichever way that one ends.
// Prints what the server prints. Arguments: those of node for the server as JSON, the home, and the URL of the database and of its cluster, if there is one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import pg from 'pg';

const [program, home, databaseUrl, clusterUrl] = process.argv.slice(2);
const server = spawn(process.execPath, JSON.parse(program), {
  cwd: home,
  stdio: ['ignore', 'inherit', 'inherit'],
});

const hasEnded = once(server, 'exit');
process.stdin.resume();
await Promise.race([once(process.stdin, 'close'), hasEnded]);
server.kill('SIGTERM');
await hasEnded;
rmSync(home, { recursive: true, force: true });
if (databaseUrl !== undefined) {
  const client = new pg.Client({ connectionString: clusterUrl });
  // The cluster may be gone by now, and the database with it.
  client.on('error', () => undefined);
  await client.connect().catch(() => process.exit());
  await client.query(`DROP DATABASE IF EXISTS ${new URL(databaseUrl).pathname.slice(1)} WITH (FORCE)`);
  await client.end();
}
