import { closeSync, existsSync, fstatSync, openSync, writeSync } from 'node:fs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { Intruder } from '../support/sqlite.mjs';
import { mountReadOnly, unmount } from '../support/small-disk.mjs';
import { until } from '../support/until.mjs';

/** @type {import('./scenario.mjs').Scenario} */
export const sqliteFile = {
  name: 'sqlite-file',
  title: 'the file is locked by another program, can only be read, is damaged',
  databases: ['sqlite'],
  run,
};

async function run(stage) {
  await lockIt(stage);
  await makeReadOnly(stage);
  await damageInside(stage);
  await damageStart(stage);
}

async function lockIt(stage) {
  stage.tried('another program holds the lock of the file until reports are refused, then lets go; 8 agents report');
  const server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'error' });
  const client = stage.client(server);
  const reporters = new Reporters(() => client, { name: 'locked', writers: 8, padding: 500 });
  await whileReporting(reporters, async () => {
    await until('reports to be taken', () => reporters.total > 200);
    const intruder = await Intruder.open(stage.sqliteFile);
    await intruder.all('PRAGMA busy_timeout = 10000');
    await intruder.all('BEGIN IMMEDIATE');
    const reading = await client.get('/v1/runners/threads/locked-0/latest');
    stage.expect(
      'Whoever only reads is served meanwhile.',
      reading.status === 200 && reading.ms < stage.patience(4000),
      `latest in ${reading.ms.toFixed(0)} ms`,
    );
    await until('reports to be refused', () => (reporters.again.get('503') ?? 0) > 0);
    await intruder.all('COMMIT');
    await intruder.close();
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + 50);
  });
  stage.expectNoFault(
    'Reports are answered with 503 and Retry-After, and taken again once the lock is free.',
    reporters.faults,
    reporters.againText,
  );
  const lost = await reporters.verify(client);
  stage.expectNoFault('Nothing acknowledged is lost.', lost, `${reporters.total} steps read back`);
  await stage.stop(server);
  const isComplete = !existsSync(`${stage.sqliteFile}-wal`);
  stage.expect(
    'Once the server is stopped, the file alone is complete.',
    isComplete,
    `-wal ${isComplete ? 'gone' : 'left'}`,
  );
}

async function makeReadOnly(stage) {
  const promised = 'A server that can only read its file does not start, and says so.';
  const refusal = mountReadOnly(stage.home, stage.cleanup);
  if (refusal !== null) return stage.notTried(promised, refusal);
  stage.tried('a start with the home folder mounted read-only');
  const words = await wordsOfRefusal(stage);
  unmount(stage.home);
  stage.expect(promised, /must be able to write/.test(words) && words.includes(stage.sqliteFile), words);
}

/** Corrupts the middle of the file, which the start does not check. */
async function damageInside(stage) {
  stage.tried('rubbish over the middle of the file; then start, list, read every thread, report');
  const { size } = overwrite(stage.sqliteFile, 0.3, 0.9);
  const server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'silent' }).catch((error) => error);
  if (server instanceof Error) {
    stage.expect(
      'A server that cannot start on it tells how to restore.',
      /restore/i.test(server.message),
      server.message,
    );
    return;
  }
  const client = stage.client(server);
  const paths = Array.from({ length: 8 }, (_, n) => `/threads/locked-${n}/checkpoints`);
  const answers = await Promise.all(
    [...paths, '/threads'].map((path) => client.get(path).catch((error) => ({ error }))),
  );
  const outcomes = answers.map(({ error, status, bytes }) => (error ? 'cut off' : (codeOf(bytes) ?? status)));
  const isSaid =
    outcomes.includes('storage_corrupt') && outcomes.every((one) => ['storage_corrupt', 'cut off', 200].includes(one));
  stage.expect(
    'Where the damage is met, the answer is 503 storage_corrupt, or is cut off where it had begun; never a wrong 200 or a 500.',
    isSaid,
    `${size} bytes; answers: ${tally(outcomes)}`,
  );
  await stage.stop(server).catch(() => undefined);
}

async function damageStart(stage) {
  stage.tried('rubbish over the beginning of the file, then start');
  overwrite(stage.sqliteFile, 0, 0.05);
  const words = await wordsOfRefusal(stage);
  const isSaid = /damaged/i.test(words) && /restore/i.test(words) && words.includes(stage.sqliteFile);
  stage.expect(
    'A server whose file is damaged does not start, names the file and tells how to restore.',
    isSaid,
    words,
  );
}

/** The message of a server that refuses to start. */
async function wordsOfRefusal(stage) {
  const started = await stage.startServer().catch((error) => error.message);
  if (typeof started === 'string') return started;
  await stage.kill(started);
  return 'it started';
}

function overwrite(file, from, to) {
  const handle = openSync(file, 'r+');
  const { size } = fstatSync(handle);
  const [first, last] = [Math.floor(size * from), Math.floor(size * to)];
  writeSync(handle, Buffer.alloc(last - first, 'rubbish '), 0, last - first, first);
  closeSync(handle);
  return { size };
}

function codeOf(bytes) {
  try {
    return JSON.parse(bytes.toString()).code;
  } catch {
    return 'no JSON';
  }
}

function tally(outcomes) {
  const counts = new Map();
  for (const one of outcomes) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => `${one} ${count}x`).join(', ');
}
