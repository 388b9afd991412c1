import { setTimeout as pause } from 'node:timers/promises';
import { exactCpuMsOf } from '../../bench/support/process-stats.mjs';
import { Client, EVENTS, batchOf } from '../support/client.mjs';
import {
  requestsOfBatches,
  requestsOfDocument,
  requestsOfHeaders,
  requestsOfReaders,
} from '../support/growing-requests.mjs';

/** Limit of the factor for twice the size: sorting takes a little more than twice, and clocks are coarse. */
const FACTOR = 2.6;
/** CPU below this is not measured again: quadratic growth would take far more for bodies of this size. */
const SMALL_MS = 150;
const TRIES = 3;
/** Compilation and garbage collection vary between tries; quadratic growth shows in every one. */
const MOST_TRIES = 15;
const HEALTH_LIMIT_MS = 250;

/** @type {import('./scenario.mjs').Scenario} */
export const growth = {
  name: 'growth',
  title: 'bodies, batches and headers of doubling size for every route, while somebody asks whether the server lives',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const server = await stage.startServer();
  const cluster = stage.database === 'postgres' ? await stage.cluster() : null;
  const hunt = new Hunt({ stage, server, cluster, callers: await callersOf(stage, server) });
  const kinds = [requestsOfBatches(), requestsOfReaders(), requestsOfHeaders(), requestsOfDocument()];
  const requests = kinds.flat().filter(sampled(stage));
  stage.tried(`${requests.length} requests of up to 64,000 elements, each half as large before; /health every 5 ms`);
  hunt.watch();
  for (const request of requests) await hunt.try(request);
  await hunt.end();
  stage.expect(
    `Twice as much takes at most ${FACTOR} times the CPU.`,
    hunt.grown.length === 0,
    [`largest factor ${hunt.largest.factor.toFixed(2)} (${hunt.largest.name})`, ...hunt.grown].join('; '),
  );
  const limitMs = stage.patience(HEALTH_LIMIT_MS);
  stage.expect(
    `/health answers within ${limitMs} ms.`,
    hunt.slow.length === 0,
    [`at most ${hunt.slowest.ms.toFixed(0)} ms (${hunt.slowest.name})`, ...hunt.slow].join('; '),
  );
  stage.expect('None is an internal error.', hunt.faults.length === 0, hunt.faults.join('; ') || 'none');
}

/** All take minutes: the short form takes a sample, and all batches once. */
function sampled(stage) {
  return ({ name, who }, at) => !stage.isShort || (name.startsWith('a batch of') ? who === 'bound' : at % 32 === 0);
}

async function callersOf(stage, server) {
  const admin = stage.client(server);
  const order = { scope: 'runner', agent_ids: ['support'] };
  const { token } = JSON.parse((await admin.post('/v1/tokens', order)).bytes.toString());
  const config = { bot_token: `123456:${'A'.repeat(35)}` };
  await admin.post('/v1/channels', { channel_type: 'telegram', name: 'Bot', config });
  return {
    admin,
    bound: new Client({ port: server.port, token }),
    nobody: new Client({ port: server.port, token: '' }),
  };
}

/** Sends growing requests, and records what grew too fast or blocked others. */
class Hunt {
  largest = { factor: 0, name: 'none took long enough to be measured' };
  slowest = { ms: 0, name: 'none' };
  grown = [];
  slow = [];
  faults = [];
  #isOver = false;
  #waitedMs = 0;
  #count = 0;

  constructor({ stage, server, cluster, callers }) {
    this.stage = stage;
    this.server = server;
    this.cluster = cluster;
    this.callers = callers;
    this.asker = stage.client(server, { connections: 1 });
  }

  watch() {
    this.watching = (async () => {
      while (!this.#isOver) {
        this.#waitedMs = Math.max(this.#waitedMs, await this.#askHealth());
        await pause(5);
      }
    })();
  }

  async end() {
    this.#isOver = true;
    await this.watching;
  }

  /** Sends it once, and repeatedly at both sizes only if it was slow. */
  async try(request) {
    const first = await this.#measure(request, request.most);
    let whole = first;
    let half = { cpuMs: Infinity };
    if (first.cpuMs >= SMALL_MS || first.waitedMs >= HEALTH_LIMIT_MS) {
      for (let at = 0; at < TRIES || (at < MOST_TRIES && factorOf(half, whole) > FACTOR); at++) {
        half = fastest(half, await this.#measure(request, request.most / 2));
        whole = fastest(whole, await this.#measure(request, request.most));
      }
      this.#judge(request, half, whole);
    }
    if (whole.waitedMs > this.slowest.ms) this.slowest = { ms: whole.waitedMs, name: nameOf(request) };
    if (whole.waitedMs >= this.stage.patience(HEALTH_LIMIT_MS))
      this.slow.push(`${whole.waitedMs.toFixed(0)} ms: ${nameOf(request)}`);
  }

  #judge(request, half, whole) {
    const factor = factorOf(half, whole);
    if (factor > this.largest.factor) this.largest = { factor, name: nameOf(request) };
    if (factor <= FACTOR) return;
    this.grown.push(
      `${factor.toFixed(2)} (${half.cpuMs.toFixed(0)} to ${whole.cpuMs.toFixed(0)} ms): ${nameOf(request)}`,
    );
  }

  /** How long `/health` takes, without the time in which other processes had the CPU. */
  async #askHealth() {
    const beforeMs = this.#cpuMs();
    const { ms } = await this.asker.get('/health');
    return Math.min(ms, this.#cpuMs() - beforeMs);
  }

  /** CPU so far of the server, and of PostgreSQL if it is ours. SQLite works within the server. */
  #cpuMs() {
    return exactCpuMsOf(this.server.pid) + (this.cluster?.cpuMs() || 0);
  }

  /** The server's CPU for one request, and how long others waited meanwhile. */
  async #measure(request, size) {
    const id = `growth-${++this.#count}`;
    const client = this.callers[request.who];
    const { method, path, body, before, headers = {}, headerOf } = request;
    if (before) await this.#store(before(size, id));
    const text = body ? textOf(body(size, id)) : null;
    const own = Object.fromEntries(headerOf ? [headerOf(size)] : []);
    const all = { ...headers, ...own };
    if (all.origin === 'own') all.origin = `http://127.0.0.1:${this.server.port}`;
    await this.asker.get('/health');
    this.#waitedMs = 0;
    const beforeMs = this.#cpuMs();
    const times = headerOf ? 20 : 1;
    for (let at = 0; at < times; at++) this.#note(request, await client.send(method, path(id), text, { headers: all }));
    const waitedMs = Math.max(this.#waitedMs, await this.#askHealth());
    return { cpuMs: this.#cpuMs() - beforeMs, waitedMs };
  }

  #note(request, { status }) {
    if (status === 500) this.faults.push(nameOf(request));
  }

  async #store(events) {
    const { status } = await this.callers.admin.post(EVENTS, batchOf(events));
    if (status >= 500) this.faults.push(`a batch: ${status}`);
  }
}

function fastest(one, other) {
  if (one.cpuMs === Infinity) return other;
  return { cpuMs: Math.min(one.cpuMs, other.cpuMs), waitedMs: Math.min(one.waitedMs, other.waitedMs) };
}

/** The half size counts with a minimum, so that small times do not look like growth. */
function factorOf(half, whole) {
  return whole.cpuMs / Math.max(half.cpuMs, SMALL_MS / FACTOR);
}

function textOf(body) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function nameOf({ name, who }) {
  return `${name}, ${who}`;
}
