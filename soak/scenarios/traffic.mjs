import { summarise } from '../../bench/generator/latencies.mjs';
import { memoryOf } from '../../bench/support/process-stats.mjs';
import { EventStream } from '../support/event-stream.mjs';
import { MixedTraffic } from '../support/mixed-traffic.mjs';

const MIB = 1024 * 1024;
const STREAMS = 20;
/** Too few requests say nothing of memory: a young process still grows. */
const MEMORY_FROM = 50_000;

/** @type {import('./scenario.mjs').Scenario} */
export const traffic = {
  name: 'traffic',
  title: 'an hour of mixed traffic at once: reports, resumed runs, lists, details, approvals, streams',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const { threads, checkpoints } = stage.sizes;
  stage.tried(
    `${checkpoints} checkpoints over ${threads} threads, ${STREAMS} streams open, every 50th waits for a person`,
  );
  const server = await stage.startServer({ WAYSTATION_LOG_LEVEL: 'error' });
  const client = stage.client(server);
  const mixed = new MixedTraffic(client, { threads, checkpoints });
  const tenths = [];
  await mixed.begin();
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, n) => EventStream.open(client, `/threads/${mixed.threadId(n)}/stream`)),
  );
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const latencies = await mixed.runUntil((checkpoints * tenth) / 10);
    tenths.push({ bytes: memoryOf(server.pid).nowBytes, ...summarise(latencies) });
  }
  stage.expectNoFault(
    'No answer is an error.',
    mixed.faults,
    `${mixed.requests} requests, ${mixed.perSecond().toFixed(0)} a second`,
  );
  expectFlat(stage, tenths, checkpoints);
  await expectStreamsWhole(stage, mixed, streams);
  stage.expectNoFault('What is read back is what was reported.', await mixed.verify(), 'a sample of 50 threads');
  for (const stream of streams) stream.close();
  await stage.stop(server);
}

function expectFlat(stage, tenths, checkpoints) {
  const [first, last] = [tenths[0], tenths.at(-1)];
  const growth = last.bytes / first.bytes - 1;
  const seen = `${(first.bytes / MIB).toFixed(0)} MiB after the first tenth, ${(last.bytes / MIB).toFixed(0)} MiB after the last`;
  const flat = 'Memory is flat: after the last tenth within 10 percent of after the first.';
  if (checkpoints < MEMORY_FROM) stage.expect('Memory stays under 400 MiB.', !(last.bytes > 400 * MIB), seen);
  else stage.expect(flat, !(growth > 0.1), `${seen} (${(growth * 100).toFixed(1)} percent)`);
  // Short tenths are a few hundred answers; what else the machine does shows in them.
  const slack = checkpoints < MEMORY_FROM ? 10 : 1.5;
  stage.expect(
    `Answers at the end take as long as at the beginning: half of them at most ${slack} times as long.`,
    last.p50Ms < slack * first.p50Ms + 1,
    `p50 ${first.p50Ms.toFixed(1)} and ${last.p50Ms.toFixed(1)} ms, p99 ${first.p99Ms.toFixed(1)} and ${last.p99Ms.toFixed(1)} ms`,
  );
}

async function expectStreamsWhole(stage, mixed, streams) {
  let told = 0;
  let missed = 0;
  for (const [n, stream] of streams.entries()) {
    const steps = mixed.stepsOf(n);
    const seen = () => stream.ofType('checkpoint').map(({ data }) => data.step_index);
    await stream.until('the last step', () => seen().at(-1) === steps - 1).catch(() => undefined);
    const list = seen();
    const isWhole =
      list.every((step, place) => place === 0 || step === list[place - 1] + 1) && list.at(-1) === steps - 1;
    told += list.length;
    missed += Number(!isWhole);
  }
  stage.expect(
    'Streams bring every step.',
    missed === 0,
    `${streams.length} streams, ${told} steps, ${missed} with gaps`,
  );
}
