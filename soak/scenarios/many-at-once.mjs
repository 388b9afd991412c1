import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { summarise } from '../../bench/generator/latencies.mjs';
import { memoryOf } from '../../bench/support/process-stats.mjs';
import { ManyAgents, QUEUED } from '../support/chats/many-agents.mjs';
import { ManyPeople } from '../support/chats/many-people.mjs';
import { ManyPlatforms } from '../support/chats/many-platforms.mjs';
import { HealthWatch } from '../support/health-watch.mjs';

const COMMAND = path.resolve(import.meta.dirname, '../../dist/cli.js');
const SIZES = {
  short: { agents: 30, channels: 30, chats: 3, busyChats: 30, quietMs: 2_000, busyMs: 4_000 },
  full: { agents: 200, channels: 200, chats: 5, busyChats: 200, quietMs: 25_000, busyMs: 30_000 },
};
/** Limit in milliseconds between an answer and the next message, except for the busy chats. */
const THINK_MS = 60_000;
const MIB = 1024 * 1024;
/** Limit for everybody else while one channel is busy or a server has died, in milliseconds. */
const FAIR_MS = 5_000;
const [HEALTH_MS, LIST_MS, START_MS, STOP_MS] = [1_000, 2_000, 15_000, 15_000];

/** @type {import('./scenario.mjs').Scenario} */
export const manyAtOnce = {
  name: 'many-at-once',
  title: 'many agents with queues and many channels of all platforms at once; one channel is busy; a server is killed',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  const size = stage.isShort ? SIZES.short : SIZES.full;
  const platforms = new ManyPlatforms();
  await platforms.listen();
  stage.cleanup.add(() => platforms.close());
  const env = { ...platforms.env, WAYSTATION_LOG_LEVEL: 'error', WAYSTATION_LEASE_SECONDS: '5' };
  const servers = await stage.startServers(2, env);
  const proxy = await stage.proxy();
  const client = stage.client(proxy);
  const agents = await ManyAgents.begin(stage, client, size.agents);
  const chats = await connect(client, platforms, agents, size);
  const people = new ManyPeople(client, platforms);
  const health = new HealthWatch(stage, servers);
  stage.tried(
    `${size.agents} agents with ${QUEUED} queued runs each, ${size.channels} channels with ${size.chats} chats each, one with ${size.busyChats} more that write all the time; ` +
      'two servers, one of them killed with -9 and started again',
  );
  people.begin(chats.usual, THINK_MS);
  await pause(size.quietMs);
  await expectLists(stage, client, size);
  await expectFair(stage, people, chats, size.busyMs);
  await killOne(stage, { health, proxy, env });
  await pause(size.busyMs / 2);
  await people.stop();
  health.stop();
  await expectWhole(stage, { client, people, agents, chats });
  expectQuick(stage, health);
  await agents.stop();
  await stopAll(stage);
  await platforms.close();
}

async function expectFair(stage, people, { busy, usualChats, busyChats }, busyMs) {
  const quiet = summarise(people.since(0));
  const from = people.times.length;
  people.begin(busy, 0);
  await pause(busyMs);
  const fair = summarise(people.since(from, usualChats));
  const ofBusy = people.since(from, busyChats);
  stage.expect(
    `A busy channel leaves the others their turns: an answer comes within ${stage.patience(FAIR_MS) / 1000} s (p99).`,
    fair.p99Ms < stage.patience(FAIR_MS),
    `p50 ${fair.p50Ms.toFixed(0)}, p99 ${fair.p99Ms.toFixed(0)} ms, at most ${fair.maxMs.toFixed(0)} ms; before ${quiet.p50Ms.toFixed(0)} and ` +
      `${quiet.p99Ms.toFixed(0)} ms; the busy one ${ofBusy.length} answers, ${summarise(ofBusy).p50Ms.toFixed(0)} ms (p50)`,
  );
}

async function killOne(stage, { health, proxy, env }) {
  const [victim] = stage.servers;
  await stage.kill(victim);
  health.forget(victim);
  const startedMs = performance.now();
  const fresh = await stage.startServer(env);
  const startMs = performance.now() - startedMs;
  proxy.replace(victim, fresh);
  health.watch(fresh);
  const limitMs = stage.patience(START_MS);
  stage.expect(`A server starts within ${limitMs / 1000} s.`, startMs < limitMs, `${startMs.toFixed(0)} ms`);
}

async function expectWhole(stage, { client, people, agents, chats: { ids } }) {
  const slowestMs = Math.max(...people.times.map(({ ms }) => ms));
  const unknown = people.lost.length === 0 ? 0 : await unknownIn(client, ids);
  const faults = people.faults();
  if (people.lost.length > unknown) faults.add(`not answered: ${people.lost.slice(0, 5).join(', ')}`);
  stage.expectNoFault(
    'Every message is answered once; where a server died while it was sending, at most once, and the log says so.',
    faults,
    `${people.times.length} answers, ${people.lost.length} lost, ${unknown} unknown, the slowest after ${slowestMs.toFixed(0)} ms`,
  );
  const seen = `${agents.beats} heartbeats, ${agents.runs} runs`;
  stage.expectNoFault('No report of an agent is refused.', agents.faults, seen);
}

function expectQuick(stage, health) {
  const { p50Ms, p99Ms, maxMs } = summarise(health.times);
  const limitMs = stage.patience(HEALTH_MS);
  stage.expect(
    `GET /health is answered within ${limitMs} ms all the time (p99).`,
    p99Ms < limitMs,
    `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, at most ${maxMs.toFixed(0)} ms; ${health.poolText}`,
  );
  const memory = stage.servers.map(({ pid }) => memoryOf(pid).peakBytes / MIB);
  const shown = memory.map((mib) => `${mib.toFixed(0)} MiB`).join(', ');
  stage.expect('A server stays under 500 MiB.', !memory.some((mib) => mib > 500), shown);
}

/** The number of messages whose sending is unknown, among the latest 200 of each log. */
async function unknownIn(client, ids) {
  let unknown = 0;
  for (const id of ids) {
    const { items } = await client.json(`/v1/channels/${id}/messages?limit=200&direction=out`);
    unknown += items.filter(({ status }) => status === 'unknown').length;
  }
  return unknown;
}

async function stopAll(stage) {
  const times = [];
  for (const server of [...stage.servers]) {
    const begunMs = performance.now();
    await stage.stop(server);
    times.push(performance.now() - begunMs);
  }
  const limitMs = stage.patience(STOP_MS);
  const seen = times.map((ms) => `${ms.toFixed(0)} ms`).join(', ');
  stage.expect(`A server stops within ${limitMs / 1000} s.`, Math.max(...times) < limitMs, seen);
}

/** Binds each channel to an agent; the last one is the busy one. */
async function connect(client, platforms, agents, { channels, chats, busyChats }) {
  const post = async (where, body) => {
    const { status, bytes } = await client.post(where, body);
    if (status >= 300) throw new Error(`POST ${where}: ${status} ${bytes.toString().slice(0, 300)}`);
    return JSON.parse(bytes.toString());
  };
  const made = await Promise.all(
    Array.from({ length: channels }, async (_, n) => {
      const account = platforms.account(n);
      const { id, verification_code: code } = await post('/v1/channels', account.order);
      await post(`/v1/channels/${id}/agents`, { agent_name: agents.list[n % agents.list.length].name });
      await post(`/v1/channels/${id}/verify`, { code });
      if (account.needsWebhook)
        await post(`/v1/channels/${id}/setup-webhook`, { base_url: `http://127.0.0.1:${client.port}` });
      return { id, account };
    }),
  );
  const chatsOf = (account, n, count, from = 0) =>
    Array.from({ length: count }, (_, chat) => ({ account, chat: 1_000_000 + 1000 * n + from + chat }));
  const usual = made.flatMap(({ account }, n) => chatsOf(account, n, chats));
  const busy = chatsOf(made.at(-1).account, channels - 1, busyChats, chats);
  const setOf = (list) => new Set(list.map(({ chat }) => chat));
  return { usual, busy, usualChats: setOf(usual), busyChats: setOf(busy), ids: made.map(({ id }) => id) };
}

async function expectLists(stage, client, { agents, channels }) {
  const times = [];
  const counts = [];
  for (const [where, wanted] of [
    ['/v1/agents?limit=200', agents],
    ['/v1/channels?limit=200', channels],
    ['/threads?limit=200', 200],
  ]) {
    const begunMs = performance.now();
    const { items } = await client.json(where);
    times.push(`${where} ${(performance.now() - begunMs).toFixed(0)} ms`);
    counts.push(items.length === Math.min(wanted, 200) || where.startsWith('/threads'));
  }
  const begunMs = performance.now();
  const env = { ...process.env, WAYSTATION_API_URL: `http://127.0.0.1:${client.port}`, WAYSTATION_TOKEN: client.token };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'channels', 'list'], { env });
  times.push(
    `waystation channels list ${(performance.now() - begunMs).toFixed(0)} ms, ${stdout.split('\n').length} lines`,
  );
  const slowest = Math.max(...times.map((text) => Number(/ (\d+) ms/.exec(text)[1])));
  stage.expect(
    `Lists hold them all, within ${stage.patience(LIST_MS) / 1000} s.`,
    counts.every(Boolean) && slowest < stage.patience(LIST_MS),
    times.join(', '),
  );
}
