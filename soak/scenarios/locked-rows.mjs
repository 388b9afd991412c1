import pg from 'pg';
import { checkpointText } from '../support/events.mjs';
import { EVENTS, batchOf, isRetryable } from '../support/client.mjs';
import { Reporters, restOfBystanders, whileReporting } from '../support/reporters.mjs';

/** Per server: more than the groups of reports that it works on concurrently. */
const LOCKED = 6;
const REFUSED_MS = 15_000;
/** Milliseconds; well below the 10 s that a server waits for a lock. */
const SLOW_MS = 5000;
const SHORT_SLOW_MS = 9000;
/** In the short form, beside other tests, one report may meet a pause of the machine. Waits for the lock would affect many. */
const SHORT_SLOW_REPORTS = 1;

/** @type {import('./scenario.mjs').Scenario} */
export const lockedRows = {
  name: 'locked-rows',
  title: 'another session holds the rows of some threads locked, and does not let go',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const locked = LOCKED * stage.instances;
  stage.tried(
    `${locked} threads locked by another session; agents report to them through ${stage.instances} servers, and 8 others go on with threads of their own`,
  );
  await stage.startServers(stage.instances, { WAYSTATION_LOG_LEVEL: 'silent' });
  const client = stage.client(await stage.proxy());
  const ids = Array.from({ length: locked }, (_, n) => `held-${n}`);
  for (const id of ids) await client.record(checkpointText(id, 0));
  const intruder = new pg.Client({ connectionString: stage.databaseUrl });
  await intruder.connect();
  await intruder.query("BEGIN; SELECT 1 FROM thread WHERE id LIKE 'held-%' FOR UPDATE");
  const reporters = new Reporters(() => client, { name: 'free', writers: 8, restMs: restOfBystanders(stage) });
  const answers = await whileReporting(reporters, () =>
    Promise.all(ids.map((id) => reportTo(client, id, stage.isShort ? 1 : 2))),
  );
  await intruder.end();
  const times = answers.flat().map(({ status, ms }) => `${status} after ${(ms / 1000).toFixed(1)} s`);
  stage.expect(
    `Reports to the locked threads are refused with 503 within ${stage.patience(REFUSED_MS) / 1000} s.`,
    answers.flat().every((answer) => isRetryable(answer) && answer.ms < stage.patience(REFUSED_MS)),
    times.join(', '),
  );
  const slowest = Math.max(...reporters.latenciesMs);
  const slowMs = stage.isShort ? SHORT_SLOW_MS : SLOW_MS;
  const most = stage.isShort ? SHORT_SLOW_REPORTS : 0;
  const slow = reporters.latenciesMs.filter((ms) => ms >= slowMs).length;
  stage.expect(
    `The other threads go on: ${most === 0 ? 'none waits' : `at most ${most} waits`} longer than ${slowMs / 1000} s, none is refused.`,
    reporters.faults.count === 0 && reporters.again.size === 0 && slow <= most,
    `${reporters.total} reports, the slowest ${slowest.toFixed(0)} ms, ${reporters.againText}`,
  );
  for (const id of ids) await client.record(checkpointText(id, 1));
  const lost = await reporters.verify(client);
  stage.expectNoFault(
    'Once the lock is gone they are taken too; nothing acknowledged is lost.',
    lost,
    `${reporters.total} steps read back`,
  );
}

/** Retries refused reports. */
async function reportTo(client, id, times) {
  const answers = [];
  for (let n = 0; n < times; n += 1) answers.push(await client.post(EVENTS, batchOf([checkpointText(id, 1)])));
  return answers;
}
