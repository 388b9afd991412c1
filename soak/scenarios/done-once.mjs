import { readFileSync } from 'node:fs';
import pg from 'pg';
import { EventStream } from '../support/event-stream.mjs';
import { checkpointText, completedEvent, waitingEvent } from '../support/events.mjs';
import { until } from '../support/until.mjs';

const DAY_MS = 24 * 3600 * 1000;

/** @type {import('./scenario.mjs').Scenario} */
export const doneOnce = {
  name: 'done-once',
  title: 'what all servers look for at the same time, expired approvals and old threads, is done once',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const [first] = await stage.startServers(stage.instances, {
    WAYSTATION_RETENTION_DAYS: '1',
    WAYSTATION_RETENTION_INTERVAL_SECONDS: '1',
    WAYSTATION_LOG_LEVEL: 'info',
  });
  const client = stage.client(first);
  await expire(stage, client);
  await retain(stage, client);
}

async function expire(stage, client) {
  const count = stage.isShort ? 30 : 500;
  stage.tried(`${count} approvals that expire after a second, ${stage.servers.length} servers that look every second`);
  const ids = Array.from({ length: count }, (_, n) => `expiring-${n}`);
  const watched = ids.slice(0, 5);
  const waiting = (id) => client.record(waitingEvent(id, `${id}-run`, 1, { approval_timeout_seconds: 1 }));
  await Promise.all(ids.map(waiting));
  const streams = await Promise.all(watched.map((id) => EventStream.open(client, `/threads/${id}/stream`)));
  await until('all to expire', async () => (await client.json('/approvals?limit=1')).items.length === 0);
  // Events after the expiry show that all earlier ones have arrived.
  for (const id of watched) await client.record(checkpointText(id, 2));
  for (const stream of streams)
    await stream.until('the step after it', ({ seen }) => seen.some(({ data }) => data.step_index === 2));
  const expiries = streams.map((stream) => stream.ofType('approval').filter(({ data }) => data.status === 'expired'));
  // A server commits first, and then logs.
  await until('the log to tell', () => countInLogs(stage, '"approval expired"') >= count);
  const logged = countInLogs(stage, '"approval expired"');
  for (const stream of streams) stream.close();
  stage.expect(
    'Each approval expires once, whichever server sees to it.',
    logged === count && expiries.every(({ length }) => length <= 1),
    `${count} expired, ${logged} times by a server; streams told ${expiries.map(({ length }) => length).join(', ')} times`,
  );
}

async function retain(stage, client) {
  const [old, kept] = stage.isShort ? [60, 10] : [1000, 100];
  stage.tried(
    `${old} threads older than the limit and ${kept} younger ones or such as wait for a person; all servers look for them every second`,
  );
  const ended = (id) => client.record(checkpointText(id, 0), completedEvent(id));
  const asking = (id) => client.record(waitingEvent(id, `${id}-run`, 1));
  await Promise.all([
    ...Array.from({ length: old }, (_, n) => ended(`old-${n}`)),
    ...Array.from({ length: kept }, (_, n) => (n % 2 === 0 ? ended(`young-${n}`) : asking(`old-asking-${n}`))),
  ]);
  await age(stage.databaseUrl, 'old-%');
  const left = async (prefix) => (await client.json(`/threads?limit=1&count=true&q=${prefix}`)).total;
  await until('the old threads to go', async () => (await left('old-')) === Math.floor(kept / 2));
  await until('the log to tell', () => deletedInLogs(stage) >= old);
  stage.expect(
    'Each old thread is deleted once; younger ones and those that wait for a person stay.',
    deletedInLogs(stage) === old && (await left('young-')) === Math.ceil(kept / 2),
    `${deletedInLogs(stage)} deleted by ${stage.servers.length} servers, ${await left('')} left`,
  );
}

async function age(url, pattern) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('UPDATE thread SET updated_at = updated_at - $1 WHERE id LIKE $2', [2 * DAY_MS, pattern]);
  await client.end();
}

function countInLogs(stage, text) {
  return linesOf(stage).filter((line) => line.includes(text)).length;
}

function deletedInLogs(stage) {
  const lines = linesOf(stage).filter((line) => line.includes('"old threads deleted"'));
  return lines.reduce((sum, line) => sum + JSON.parse(line).threads, 0);
}

function linesOf(stage) {
  return stage.servers.flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n'));
}
