import pg from 'pg';
import { summarise } from '../../bench/generator/latencies.mjs';
import { Generator } from '../../bench/generator/generator.mjs';
import { RARE_AGENT, RARE_STATUS } from '../../bench/corpus/seeded-thread.mjs';
import { AGENTS, MODELS } from '../../bench/corpus/vocabulary.mjs';
import { EVENTS, batchOf } from '../support/client.mjs';
import { checkpointText } from '../support/events.mjs';

const FEW = 1000;
const SEED = 43;
const REPEATS = 60;
/** So few threads, beside other tests, say nothing of a ratio; that all is answered, and not slowly, they do. */
const SHORT_LIMIT_MS = 250;

/** @type {import('./scenario.mjs').Scenario} */
export const storedThreads = {
  name: 'stored-threads',
  title: 'very many threads are stored',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const { stored } = stage.sizes;
  stage.tried(`list, filter, latest and reports with ${FEW} threads stored, and with ${stored}`);
  const server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'error' });
  const client = stage.client(server);
  const generator = new Generator();
  try {
    await seed(generator, server, 0, FEW);
    const few = await measure(client, 'few');
    const begun = performance.now();
    await seed(generator, server, FEW, stored);
    const seconds = (performance.now() - begun) / 1000;
    stage.tried(`${stored - FEW} threads reported in ${seconds.toFixed(0)} s`);
    if (stage.database === 'postgres' && !stage.isShort) await settle(stage);
    compare(stage, few, await measure(client, 'many'));
  } finally {
    generator.stop();
  }
  await stage.stop(server);
}

/** What autovacuum does by itself in the minutes after so many rows came, done before the clock starts. */
async function settle(stage) {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  await client.query('VACUUM (ANALYZE)');
  await client.end();
  stage.tried('VACUUM (ANALYZE), as autovacuum does it');
}

async function seed(generator, server, from, to) {
  const params = { seed: SEED, from, to, steps: 1, threadsPerBatch: 200 };
  const result = await generator.run('seed-threads', params, server, { connections: 8, maxSeconds: 7200 });
  if (result.faultCount > 0) throw new Error(`seeding failed: ${result.faults.join('; ')}`);
}

/** Half of the answers to each question come within these milliseconds. */
async function measure(client, name) {
  const { items } = await client.json('/threads?limit=50&sort=started_at&order=asc');
  const ids = items.map((item) => encodeURIComponent(item.thread_id));
  const questions = {
    list: () => client.get('/threads?limit=50'),
    'an agent': () => client.get(`/threads?limit=50&agent_id=${AGENTS[0]}`),
    // One thread of few, so that the answers are of the same length.
    'a rare agent': () => client.get(`/threads?limit=1&agent_id=${RARE_AGENT}`),
    'a status by cost': () => client.get('/threads?limit=50&status=completed&sort=total_cost_usd'),
    'a rare status by tokens': () => client.get(`/threads?limit=1&status=${RARE_STATUS}&sort=total_tokens`),
    'a model by start': () =>
      client.get(`/threads?limit=50&model=${encodeURIComponent(MODELS[0])}&sort=started_at&order=asc`),
    latest: (n) => client.get(`/v1/runners/threads/${ids[n % ids.length]}/latest`),
    report: (n) => client.post(EVENTS, batchOf([checkpointText(`measured-${name}`, n)])),
  };
  const medians = {};
  for (const [question, ask] of Object.entries(questions)) medians[question] = await medianOf(ask);
  return medians;
}

async function medianOf(ask) {
  const latencies = [];
  for (let n = 0; n < REPEATS; n += 1) {
    const { status, ms } = await ask(n);
    if (status !== 200) throw new Error(`answered ${status}`);
    if (n >= REPEATS / 6) latencies.push(ms); // the first ones warm up
  }
  return summarise(latencies).p50Ms;
}

function compare(stage, few, many) {
  for (const [question, fewMs] of Object.entries(few)) {
    const seen = `p50 ${fewMs.toFixed(2)} ms and ${many[question].toFixed(2)} ms`;
    if (stage.isShort) {
      stage.expect(`"${question}" takes less than ${SHORT_LIMIT_MS} ms.`, many[question] < SHORT_LIMIT_MS, seen);
      continue;
    }
    // Below a millisecond or two a ratio tells of the machine, not of the query.
    const isKept = many[question] <= Math.max(2 * fewMs, 3);
    stage.expect(`"${question}" takes at most twice the time that it takes with ${FEW}.`, isKept, seen);
  }
}
