import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import zlib from 'node:zlib';
import { memoryOf } from '../../bench/support/process-stats.mjs';
import { EVENTS } from '../support/client.mjs';
import { DEPLOYED_HEAP } from '../support/heap-limit.mjs';
import { Reporters, restOfBystanders, whileReporting } from '../support/reporters.mjs';

const MIB = 1024 * 1024;
const LARGE = 31 * MIB;
const STRANGERS = 40;
/** Concurrent compressed bodies of each kind, and messages per body, of which half a million are allowed. */
const SIZES = { short: { bodies: 2, messages: 50_000 }, full: { bodies: 100, messages: 499_000 } };
/** Limit of all memory: the heap, bodies, caches, and the allocator's reserve. */
const LIMIT_MIB = 1400;
/** The short form runs beside other tests, which take CPU from the server. */
const HEALTH_LIMIT_MS = { short: 45_000, full: 2000 };
const RECEIVER = '/v1/channels/webhook/telegram';

/** @type {import('./scenario.mjs').Scenario} */
export const hostileBodies = {
  name: 'hostile-bodies',
  title: 'small bodies that become large, strangers that never end, elements of millions of levels and values',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const server = await stage.startServer(DEPLOYED_HEAP);
  const client = stage.client(server, { connections: 200 });
  await createChannel(client);
  const watch = new Watch(server, stage.client(server, { connections: 1 }));
  const reporters = new Reporters(() => client, {
    name: 'beside-hostile',
    writers: 4,
    restMs: restOfBystanders(stage),
  });
  const { bodies: count, messages } = stage.isShort ? SIZES.short : SIZES.full;
  stage.tried(
    `${STRANGERS} strangers that stop a byte early; ${count} compressed bodies of up to 31 MiB at once, of each kind`,
  );
  const strangers = stallStrangers(server.port);
  const statuses = new Map();
  const watching = watch.start();
  await whileReporting(reporters, async () => {
    for (const [kind, body] of Object.entries(kinds(messages))) {
      if (stage.isShort && FULL_ONLY.has(kind)) continue;
      const bytes = zlib.gzipSync(body(kind.replaceAll(' ', '-')), { level: 1 });
      const times = kind === MOST_MESSAGES ? Math.ceil(count / 10) : count;
      const answers = await Promise.all(Array.from({ length: times }, () => sendHostile(client, bytes)));
      statuses.set(kind, [...new Set(answers)].sort().join(' '));
      await readBack(client, kind.replaceAll(' ', '-'));
    }
  });
  watch.stop();
  await watching;
  for (const socket of strangers) socket.destroy();
  judge(stage, { watch, reporters, statuses });
  await stage.stop(server);
}

function judge(stage, { watch, reporters, statuses }) {
  const answers = [...statuses].map(([kind, seen]) => `${kind}: ${seen}`).join('; ');
  const isAnswered = ![...statuses.values()].some((seen) => /\b(0|500)\b/.test(seen));
  stage.expect('The server answers all of them, and none with an internal error.', isAnswered, answers);
  const refused = reporters.again.size + reporters.faults.count;
  stage.expect(
    'No normal report is refused.',
    refused === 0,
    `${refused} of ${reporters.total} refused; ${reporters.againText}`,
  );
  const peakMib = watch.peakBytes / MIB;
  stage.expect(`Memory stays under ${LIMIT_MIB} MiB.`, !(peakMib > LIMIT_MIB), `at most ${peakMib.toFixed(0)} MiB`);
  const limitMs = stage.isShort ? HEALTH_LIMIT_MS.short : HEALTH_LIMIT_MS.full;
  const seen = `at most ${watch.slowestMs.toFixed(0)} ms, ${watch.count} times`;
  stage.expect(`/health answers within ${limitMs} ms.`, watch.slowestMs < limitMs, seen);
}

/** Checks that the server lives, and its memory. */
class Watch {
  slowestMs = 0;
  peakBytes = 0;
  count = 0;
  #isOver = false;

  constructor(server, client) {
    this.server = server;
    this.client = client;
  }

  async start() {
    while (!this.#isOver && this.slowestMs < Infinity) {
      const { ms } = await this.client.get('/health').catch(() => ({ ms: Infinity }));
      this.slowestMs = Math.max(this.slowestMs, ms);
      this.peakBytes = Math.max(this.peakBytes, memoryOf(this.server.pid).nowBytes);
      this.count += 1;
      await pause(5);
    }
  }

  stop() {
    this.#isOver = true;
  }
}

/** The status; 0 if there was none. */
async function sendHostile(client, bytes) {
  const headers = { 'content-encoding': 'gzip', 'content-length': String(bytes.length) };
  return client.post(EVENTS, bytes, { headers, timeoutMs: 300_000 }).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Reading what was stored must not be dangerous either. */
async function readBack(client, id) {
  const { status } = await client.get(`/threads/${id}?logs_limit=100`, { timeoutMs: 300_000 });
  if (status >= 500) throw new Error(`GET /threads/${id}: ${status}`);
}

async function createChannel(client) {
  const config = { bot_token: `123456:${'A'.repeat(35)}` };
  const { status, bytes } = await client.post('/v1/channels', { channel_type: 'telegram', name: 'Bot', config });
  if (status !== 201) throw new Error(`no channel: ${status} ${bytes.toString()}`);
}

function stallStrangers(port) {
  const length = 4 * MIB;
  return Array.from({ length: STRANGERS }, () => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // a server that refuses them may cut them off
    socket.write(`POST ${RECEIVER} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n`);
    socket.write(Buffer.alloc(length - 1));
    return socket;
  });
}

/** The tests refuse such elements in every place, see large-elements.spec.ts. */
const FULL_ONLY = new Set(['a deep error', 'a wide unknown event']);
/** Stored as a row per message, which takes time whoever sends it. */
const MOST_MESSAGES = 'very many messages';

const deep = () => `${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}`;
const wide = () => `[${'{},'.repeat(LARGE / 3)}{}]`;
const long = () => JSON.stringify('x'.repeat(LARGE));

/** @param {number} messages in most bodies */
const kinds = (messages) => ({
  'a deep error': (id) => batchOf('thread_error', id, `"error":${deep()}`),
  'wide tool calls': (id) => batchOf('checkpoint', id, `"pending_tool_calls":${wide()}`),
  'a deep message': (id) => batchOf('checkpoint', id, `"history":[${deep()}]`),
  'a wide unknown event': (id) => batchOf('state_saved', id, `"state":${wide()}`),
  'a long message': (id) => batchOf('checkpoint', id, `"history":[${long()}]`),
  [MOST_MESSAGES]: (id) => batchOf('checkpoint', id, `"history":[${'{},'.repeat(messages)}{}]`),
  'messages of as many values as may be': (id) =>
    batchOf('checkpoint', id, `"history":[${several(`[${'{},'.repeat(499_000)}{}]`)}]`),
  'nothing but zeros': () => Buffer.alloc(LARGE),
});

function several(text) {
  return Array.from({ length: Math.floor(LARGE / text.length) }, () => text).join(',');
}

function batchOf(type, id, member) {
  return `{"events":[{"type":"${type}","data":{"thread_id":"${id}","trace_id":"run","agent_id":"soak",${member}}}]}`;
}
