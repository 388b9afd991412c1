import { setTimeout as pause } from 'node:timers/promises';
import { summarise } from '../../bench/generator/latencies.mjs';
import { memoryOf } from '../../bench/support/process-stats.mjs';
import { ChatWorld } from '../support/chats/chat-world.mjs';
import { EventStream } from '../support/event-stream.mjs';
import { HEAP_LIMIT } from '../support/heap-limit.mjs';
import { MixedTraffic } from '../support/mixed-traffic.mjs';

/** Checkpoints to each server before the first tenth: they fill its caches, and histories are short at first. */
const WARM_UP = 40_000;
const MIB = 1024 * 1024;
const STREAMS = 20;
/** Limit in milliseconds between an answer and a person's next message. */
const THINK_MS = 2000;
const ANSWER_MS = 60_000;
/** Milliseconds without reports after the first and the last tenth, for garbage to be collected. */
const REST_MS = 40_000;
/** Requests per server below which memory is not judged: a young process still grows. */
const MEMORY_FROM = 50_000;

/** @type {import('./scenario.mjs').Scenario} */
export const traffic = {
  name: 'traffic',
  title: 'mixed traffic for long: reports, resumed runs, chats, lists, details, approvals, streams',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const { threads, checkpoints } = stage.sizes;
  const size = stage.isShort ? { bots: 1, chatsPerBot: 4 } : { bots: 5, chatsPerBot: 10 };
  const world = await ChatWorld.open(stage);
  await stage.startServers(stage.instances, { WAYSTATION_LOG_LEVEL: 'error', ...HEAP_LIMIT, ...world.env });
  const client = stage.client(await stage.entrance());
  stage.tried(
    `${checkpoints} checkpoints${isLongOn(stage, checkpoints) ? ` (and ${warmUpOf(stage)} before, to warm up)` : ''} over ${threads} threads and more that are resumed, ${STREAMS} streams open, every 50th waits for a person, ` +
      `${size.bots * size.chatsPerBot} people write to bots; ${stage.instances === 1 ? '1 server' : `${stage.instances} servers`}`,
  );
  await world.connect(() => client, size);
  const mixed = new MixedTraffic(client, { threads, checkpoints });
  await mixed.begin();
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, n) => EventStream.open(client, `/threads/${mixed.threadId(n)}/stream`)),
  );
  world.people.begin({ thinkMs: THINK_MS });
  const tenths = await runTenths(stage, mixed, checkpoints);
  stage.expectNoFault(
    'No answer is an error, and what an agent goes on from is what was reported last.',
    mixed.faults,
    `${mixed.requests} requests, ${mixed.perSecond().toFixed(0)} a second; went on ${mixed.resumed.resumed} times from latest`,
  );
  expectFlat(stage, tenths, checkpoints);
  await expectChatsWhole(stage, world, checkpoints);
  await expectStreamsWhole(stage, mixed, streams);
  stage.expectNoFault('What is read back is what was reported.', await mixed.verify(), 'a sample of 100 threads');
  for (const stream of streams) stream.close();
  for (const server of [...stage.servers]) await stage.stop(server);
  await world.close();
}

async function runTenths(stage, mixed, checkpoints) {
  const tenths = [];
  const warmUp = isLongOn(stage, checkpoints) ? warmUpOf(stage) : 0;
  await mixed.runUntil(warmUp);
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const latencies = await mixed.runUntil(warmUp + (checkpoints * tenth) / 10);
    const bytes = memoryNow(stage);
    const isMeasured = isLongOn(stage, checkpoints) && (tenth === 1 || tenth === 10);
    const restingBytes = isMeasured ? await memoryAtRest(stage) : bytes;
    tenths.push({ bytes, restingBytes, byKind: medians(latencies), ...summarise([...latencies.values()].flat()) });
  }
  return tenths;
}

function medians(latencies) {
  return new Map([...latencies].map(([kind, list]) => [kind, summarise(list).p50Ms]));
}

function memoryNow({ servers }) {
  return servers.map(({ pid }) => memoryOf(pid).nowBytes);
}

/** Memory that a server retains, without garbage: the minimum while only the chats continue. */
async function memoryAtRest(stage) {
  let least = memoryNow(stage);
  for (let restedMs = 0; restedMs < REST_MS; restedMs += 1000) {
    await pause(1000);
    least = memoryNow(stage).map((bytes, n) => Math.min(bytes, least[n]));
  }
  return least;
}

function expectFlat(stage, tenths, checkpoints) {
  const [first, last] = [tenths[0], tenths.at(-1)];
  const isLong = isLongOn(stage, checkpoints);
  for (const n of first.bytes.keys()) {
    const loaded = tenths.map(({ bytes }) => bytes[n]);
    expectMemoryFlat(stage, isLong, { loaded, first: first.restingBytes[n], last: last.restingBytes[n] });
  }
  // Short tenths have a few hundred responses, which other work on the machine affects.
  const { slack, leastMs } = isLong ? { slack: 1.5, leastMs: 0 } : { slack: 10, leastMs: 50 };
  const atFirst = isLong ? '' : `, counting a beginning below ${leastMs} ms as ${leastMs} ms`;
  stage.expect(
    `Answers at the end take as long as at the beginning: half of them at most ${slack} times as long${atFirst}.`,
    last.p50Ms < slack * Math.max(first.p50Ms, leastMs) + 1,
    `p50 ${tenths.map(({ p50Ms }) => p50Ms.toFixed(1)).join(', ')} ms, p99 ${first.p99Ms.toFixed(1)} and ${last.p99Ms.toFixed(1)} ms; p50 by kind ${kindsText(first, last)}`,
  );
}

function kindsText(first, last) {
  const texts = [...first.byKind].map(
    ([kind, ms]) => `${kind} ${ms.toFixed(1)} and ${last.byKind.get(kind)?.toFixed(1)} ms`,
  );
  return texts.join(', ');
}

function expectMemoryFlat(stage, isLong, { loaded, first, last }) {
  const growth = last / first - 1;
  const mib = (bytes) => (bytes / MIB).toFixed(0);
  const underLoad = `${loaded.map(mib).join(', ')} MiB at the end of each tenth`;
  const seen = isLong ? `at rest ${mib(first)} and ${mib(last)} MiB; ${underLoad}` : underLoad;
  const flat =
    'The memory of a server is flat: at rest after the last tenth within 10 percent of that after the first.';
  if (isLong) stage.expect(flat, !(growth > 0.1), `${seen} (${(growth * 100).toFixed(1)} percent)`);
  else stage.expect('The memory of a server stays under 400 MiB.', !(last > 400 * MIB), seen);
}

async function expectChatsWhole(stage, world, checkpoints) {
  const { people } = world;
  await people.stop(ANSWER_MS);
  const { faults } = await world.verify();
  const seen = `${people.total} messages, ${people.timesText}`;
  stage.expectNoFault('Every message of the chats is answered exactly once.', faults, seen);
  if (!isLongOn(stage, checkpoints)) return;
  const tenth = Math.floor(people.answered / 10);
  const [first, last] = [people.latenciesMs.slice(0, tenth), people.latenciesMs.slice(-tenth)].map(summarise);
  stage.expect(
    'Answers in chats come at the end as fast as at the beginning: half of them within at most 1.5 times as long.',
    last.p50Ms < 1.5 * first.p50Ms + 1,
    `p50 ${first.p50Ms.toFixed(0)} and ${last.p50Ms.toFixed(0)} ms, p99 ${first.p99Ms.toFixed(0)} and ${last.p99Ms.toFixed(0)} ms`,
  );
}

function warmUpOf({ instances }) {
  return instances * WARM_UP;
}

function isLongOn({ instances }, checkpoints) {
  return checkpoints >= MEMORY_FROM * instances;
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
