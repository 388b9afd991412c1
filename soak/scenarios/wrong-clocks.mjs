import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FaultList } from '../../bench/generator/fault-list.mjs';
import { EVENTS } from '../support/client.mjs';
import { ChatWorld } from '../support/chats/chat-world.mjs';
import { checkpointText, completedEvent, waitingEvent } from '../support/events.mjs';
import { until } from '../support/until.mjs';

const AHEAD = path.resolve(import.meta.dirname, '../../test/support/clock-ahead.mjs');
const HOUR_MS = 3_600_000;
/** Offsets of the wrong clocks, in turn. */
const WRONG_MS = [72 * HOUR_MS, -72 * HOUR_MS, 2 * HOUR_MS, -2 * HOUR_MS, 400 * 24 * HOUR_MS, 90_000];
const SIZE = { bots: 4, chatsPerBot: 4 };
const [LEASES, APPROVALS] = [20, 10];
const ANSWER_MS = 60_000;
/** Limit for taking over a dead server's lane and poller. */
const TAKE_OVER_MS = 30_000;
/** Limit between a deadline and its detection. */
const LATE_MS = 5_000;
const ENV = {
  WAYSTATION_RETENTION_DAYS: '1',
  WAYSTATION_RETENTION_INTERVAL_SECONDS: '1',
  WAYSTATION_LOG_LEVEL: 'error',
};

/** @type {import('./scenario.mjs').Scenario} */
export const wrongClocks = {
  name: 'wrong-clocks',
  title:
    'servers whose clocks are wrong by hours, days or years are killed with -9 while they hold leases of all kinds',
  databases: ['postgres'],
  shortOn: [],
  run,
};

async function run(stage) {
  const rounds = stage.isShort ? 2 : stage.rounds;
  const world = await ChatWorld.open(stage);
  const env = { ...ENV, ...world.env };
  const startWrong = (n) => stage.startServer({ ...env, ...clockOf(WRONG_MS[n % WRONG_MS.length]) });
  const right = await stage.startServer(env);
  let victim = await startWrong(0);
  await startWrong(1);
  const proxy = await stage.proxy();
  const proxied = stage.client(proxy);
  await world.connect(() => proxied, { ...SIZE, isPolled: true });
  world.people.begin({ thinkMs: 500 });
  const found = { faults: new FaultList(), fences: new Set(), slowestMs: 0 };
  for (let round = 0; round < rounds; round += 1) {
    await dieWithLeases(stage, { world, victim, heir: stage.client(right), round, found });
    proxy.replace(victim, await startWrong(round + 2));
    victim = stage.servers[1];
  }
  stage.tried(
    `${rounds} times kill -9 of a server whose clock is wrong by ${WRONG_MS.map((ms) => `${ms / HOUR_MS} h`).join(', ')}: each time it has given ` +
      `${LEASES} leases and opened ${APPROVALS} approvals, and polls for some of ${SIZE.bots} bots; retention of a day looks every second`,
  );
  stage.expectNoFault(
    'Leases end, and approvals expire, when they should; no fence is given twice; no thread is deleted.',
    found.faults,
    `${found.fences.size} fences, the latest end was seen ${found.slowestMs.toFixed(0)} ms late`,
  );
  await expectAnswered(stage, world);
  await world.close();
}

function clockOf(aheadMs) {
  return { NODE_OPTIONS: `--import=${AHEAD}`, WAYSTATION_TEST_AHEAD_MS: String(aheadMs) };
}

async function dieWithLeases(stage, { world, victim, heir, round, found }) {
  const enough = world.people.answered + 10;
  await until('answers', () => world.people.answered >= enough, ANSWER_MS);
  const client = stage.client(victim);
  const leases = await Promise.all(
    Array.from({ length: LEASES }, (_, n) => leased(client, `leased-${round}-${n}`, 5 + (n % 3), found)),
  );
  const approvals = await Promise.all(
    Array.from({ length: APPROVALS }, (_, n) => opened(client, `asked-${round}-${n}`, 3 + n)),
  );
  await client.record(checkpointText(`kept-${round}`, 0), completedEvent(`kept-${round}`));
  await pause(Math.random() * 3000);
  await stage.kill(victim);
  await Promise.all([
    ...leases.map((lease) => takenOver(heir, lease, found)),
    ...approvals.map((approval) => expired(heir, approval, found)),
  ]);
  const { status } = await heir.get(`/threads/kept-${round}`);
  found.faults.add(status === 200 ? null : `kept-${round}: ${status}`);
}

async function leased(client, threadId, seconds, found) {
  const sentMs = performance.now();
  const { status, bytes } = await client.post(leasePath(threadId), { holder: 'first', ttl_seconds: seconds });
  if (status !== 201) throw new Error(`no lease: ${status} ${bytes}`);
  const { fence } = JSON.parse(bytes.toString());
  noteFence(fence, found);
  return { threadId, fence, sentMs, givenMs: performance.now(), lastsMs: 1000 * seconds };
}

async function takenOver(heir, { threadId, fence, sentMs, givenMs, lastsMs }, found) {
  const claim = async () => {
    const { status, bytes } = await heir.post(leasePath(threadId), { holder: 'heir', ttl_seconds: 60 });
    return status === 201 ? JSON.parse(bytes.toString()) : null;
  };
  const granted = await until(`the lease of ${threadId}`, claim, 60_000).catch(() => null);
  if (granted === null) return found.faults.add(`${threadId}: the lease lived on`);
  noteEnd(threadId, { sentMs, givenMs, lastsMs }, found);
  noteFence(granted.fence, found);
  if (granted.fence <= fence) found.faults.add(`${threadId}: ${granted.fence} after ${fence}`);
  const late = await heir.post(EVENTS, `{"events":[${checkpointText(threadId, 0).slice(0, -1)},"fence":${fence}}]}`);
  const isRefused = late.bytes.toString().includes('stale_fence');
  return found.faults.add(isRefused ? null : `${threadId}: a report under the old fence: ${late.status}`);
}

async function opened(client, id, seconds) {
  const sentMs = performance.now();
  await client.record(waitingEvent(id, `${id}-run`, 1, { approval_timeout_seconds: seconds }));
  return { id, sentMs, givenMs: performance.now(), lastsMs: 1000 * seconds };
}

async function expired(heir, { id, ...times }, found) {
  const isExpired = async () => (await heir.json(`/approvals/${id}-run/1`)).status === 'expired';
  const isSeen = await until(`${id} to expire`, isExpired, 60_000).catch(() => null);
  if (isSeen === null) return found.faults.add(`${id}: the approval lived on`);
  return noteEnd(id, times, found);
}

function noteEnd(id, { sentMs, givenMs, lastsMs }, found) {
  const nowMs = performance.now();
  const lateMs = nowMs - givenMs - lastsMs;
  found.slowestMs = Math.max(found.slowestMs, lateMs);
  if (nowMs - sentMs < lastsMs - 100)
    found.faults.add(`${id} ended after ${(nowMs - sentMs).toFixed(0)} of ${lastsMs} ms`);
  if (lateMs > LATE_MS) found.faults.add(`${id} ended ${lateMs.toFixed(0)} ms late`);
}

/** Compares fences within a thread only: two threads may have the same ones. */
function noteFence(fence, { fences, faults }) {
  if (!Number.isSafeInteger(fence) || Math.abs(fence - Date.now()) > HOUR_MS)
    faults.add(`the fence ${fence} is not of this hour`);
  fences.add(fence);
}

function leasePath(threadId) {
  return `/v1/runners/threads/${threadId}/runs/${threadId}-run/lease`;
}

async function expectAnswered(stage, world) {
  await world.people.stop(ANSWER_MS);
  const { faults, unknown } = await world.verify({ mayBeUnknown: true });
  const slowestMs = Math.max(world.people.longestWaitMs, ...world.people.latenciesMs);
  faults.add(slowestMs < TAKE_OVER_MS + LATE_MS ? null : `somebody waited ${slowestMs.toFixed(0)} ms`);
  stage.expectNoFault(
    'The others go on with its chats within half a minute; no message is lost, none is answered twice.',
    faults,
    `${world.people.total} messages, ${unknown} answers unknown, ${world.people.timesText}`,
  );
}
