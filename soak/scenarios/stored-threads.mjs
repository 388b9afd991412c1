import pg from 'pg';
import { summarise } from '../../bench/generator/latencies.mjs';
import { Generator } from '../../bench/generator/generator.mjs';
import { RARE_AGENT, RARE_STATUS } from '../../bench/corpus/seeded-thread.mjs';
import { AGENTS, MODELS } from '../../bench/corpus/vocabulary.mjs';
import { EVENTS, batchOf } from '../support/client.mjs';
import { checkpointText } from '../support/events.mjs';

const FEW = 1000;
const SEED = 43;
/** Repetitions of each question. The short form only compares medians with a generous limit. */
const REPEATS = { short: 24, full: 120 };
/** Smaller differences come from the machine, not from the query. */
const CLOCK_MS = 0.3;
const SORTS = ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'];
/** So few threads, beside other tests, make ratios meaningless; but everything must be answered, and not slowly. */
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
  const few = await opened(stage.beside());
  const many = await opened(stage);
  const generator = new Generator();
  try {
    await seed(generator, few.server, FEW);
    const begun = performance.now();
    await seed(generator, many.server, stored);
    const seconds = (performance.now() - begun) / 1000;
    stage.tried(`${stored} threads reported in ${seconds.toFixed(0)} s`);
  } finally {
    generator.stop();
  }
  for (const one of [few, many]) {
    if (stage.database === 'postgres' && !stage.isShort) await settle(one.stage);
    // Leaves nothing in memory, where few threads would all fit.
    await one.stage.stop(one.server);
    Object.assign(one, await opened(one.stage));
    one.questions = await questionsTo(one.client);
  }
  await compare(stage, few.questions, many.questions);
  for (const one of [few, many]) await one.stage.stop(one.server);
}

/** @param {import('../support/stage.mjs').Stage} stage */
async function opened(stage) {
  const server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'error' });
  return { stage, server, client: stage.client(server) };
}

/** Runs ANALYZE before the clock starts, as autovacuum does some minutes after that many new rows. */
async function settle(stage) {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  await client.query('VACUUM (ANALYZE)');
  await client.end();
  stage.tried('VACUUM (ANALYZE), as autovacuum does it');
}

async function seed(generator, server, threads) {
  const params = { seed: SEED, from: 0, to: threads, steps: 1, threadsPerBatch: 200 };
  const result = await generator.run('seed-threads', params, server, { connections: 8, maxSeconds: 7200 });
  if (result.faultCount > 0) throw new Error(`seeding failed: ${result.faults.join('; ')}`);
}

/** By name: each asks once and returns the response time in milliseconds. */
async function questionsTo(client) {
  const { items } = await client.json('/threads?limit=10&sort=started_at&order=asc');
  const ids = items.map((item) => encodeURIComponent(item.thread_id));
  const questions = {
    list: () => client.get('/threads?limit=50'),
    'an agent': () => client.get(`/threads?limit=50&agent_id=${AGENTS[0]}`),
    // One of a few threads, so that responses have the same length.
    'a rare agent': () => client.get(`/threads?limit=1&agent_id=${RARE_AGENT}`),
    'a rare status by tokens': () => client.get(`/threads?limit=1&status=${RARE_STATUS}&sort=total_tokens`),
    'a model by start': () =>
      client.get(`/threads?limit=50&model=${encodeURIComponent(MODELS[0])}&sort=started_at&order=asc`),
    latest: (n) => client.get(`/v1/runners/threads/${ids[n % ids.length]}/latest`),
    report: (n) => client.post(EVENTS, batchOf([checkpointText('measured', n)])),
  };
  for (const sort of SORTS) {
    questions[`a status by ${sort}`] = () => client.get(`/threads?limit=50&status=completed&sort=${sort}`);
  }
  return questions;
}

async function compare(stage, few, many) {
  for (const question of Object.keys(few)) {
    const [fewMs, manyMs] = await mediansOf(
      [few[question], many[question]],
      stage.isShort ? REPEATS.short : REPEATS.full,
    );
    const seen = `p50 ${fewMs.toFixed(2)} ms and ${manyMs.toFixed(2)} ms`;
    if (stage.isShort)
      stage.expect(`"${question}" takes less than ${SHORT_LIMIT_MS} ms.`, manyMs < SHORT_LIMIT_MS, seen);
    else {
      const promised = `"${question}" takes at most 1.5 times the time that it takes with ${FEW}.`;
      stage.expect(promised, manyMs <= Math.max(1.5 * fewMs, fewMs + CLOCK_MS), seen);
    }
  }
}

/** Milliseconds. Asks all in turn, so that other work on the machine slows all of them. */
async function mediansOf(questions, repeats) {
  const latencies = questions.map(() => []);
  for (let n = 0; n < repeats; n += 1) {
    for (const [i, ask] of questions.entries()) latencies[i].push(await timeOf(ask, n));
  }
  // The first ones warm up.
  return latencies.map((all) => summarise(all.slice(repeats / 6)).p50Ms);
}

async function timeOf(ask, n) {
  const { status, ms } = await ask(n);
  if (status !== 200) throw new Error(`answered ${status}`);
  return ms;
}
