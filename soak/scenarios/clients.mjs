import { readFileSync } from 'node:fs';
import net from 'node:net';
import { memoryOf } from '../../bench/support/process-stats.mjs';
import { EventStream } from '../support/event-stream.mjs';
import { checkpointText } from '../support/events.mjs';
import { HEAP_LIMIT } from '../support/heap-limit.mjs';
import { Reporters, restOfBystanders, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

const MIB = 1024 * 1024;
/** Files that this process needs besides its connections. */
const SPARE_FILES = 100;

/** @type {import('./scenario.mjs').Scenario} */
export const clients = {
  name: 'clients',
  title: 'clients that send slowly, open very many connections, or never read their stream',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const [server] = await stage.startServers(stage.instances, HEAP_LIMIT);
  const client = stage.client(await stage.entrance());
  await sendSlowly(stage, server, client);
  await connectOften(stage, server, client);
  await neverRead(stage, server, client);
  for (const one of [...stage.servers]) await stage.stop(one);
}

/** All slow clients use one server; the others run beside it. */
async function sendSlowly(stage, server, client) {
  const [count, seconds] = stage.isShort ? [50, 2] : [300, 20];
  stage.tried(`${count} clients that send a body of 30 MiB byte by byte for ${seconds} s, 8 agents reporting`);
  const sockets = await connectAll(server.port, count);
  const head = `POST /v1/runners/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${stage.token}\r\nContent-Type: application/json\r\nContent-Length: ${30 * MIB}\r\n\r\n`;
  for (const socket of sockets) socket.write(head);
  const drip = setInterval(() => sockets.forEach((socket) => socket.write(' ')), 20);
  const seen = await reportFor(stage, client, 'beside-slow', seconds * 1000);
  clearInterval(drip);
  sockets.forEach((socket) => socket.destroy());
  stage.expect('Others are served as usual.', seen.isFine, seen.text);
}

async function connectOften(stage, server, client) {
  const allowed = Math.min(stage.sizes.connections, openFilesLimit() - SPARE_FILES);
  stage.tried(`one client opens ${allowed} connections and says nothing`);
  if (allowed < stage.sizes.connections)
    stage.notTried(
      `${stage.sizes.connections} connections.`,
      `this machine allows no more open files than for ${allowed}`,
    );
  const before = memoryOf(server.pid).nowBytes;
  const sockets = await connectAll(server.port, allowed);
  const seen = await reportFor(stage, client, 'beside-many', stage.isShort ? 500 : 5000);
  const grownMib = (memoryOf(server.pid).nowBytes - before) / MIB;
  sockets.forEach((socket) => socket.destroy());
  const fresh = await stage.client(server).get('/health');
  stage.expect('Others are served as usual, and after it as before.', seen.isFine && fresh.status === 200, seen.text);
  stage.expect('Memory stays bounded: under 150 MiB more.', !(grownMib > 150), `${grownMib.toFixed(0)} MiB more`);
}

/** Every step adds 200 KB of news, so that unread data would pile up. */
async function neverRead(stage, server, client) {
  const [readers, steps] = stage.isShort ? [20, 40] : [200, 200];
  const newsMib = (readers * steps * 200_000) / MIB;
  stage.tried(
    `${readers} streams that are never read, ${newsMib.toFixed(0)} MiB of news for them, and one that is read`,
  );
  await client.record(checkpointText('unread', 0, { padding: 100_000 }));
  const sockets = await connectAll(server.port, readers);
  for (const socket of sockets) {
    socket.pause();
    socket.write(
      `GET /threads/unread/stream HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${stage.token}\r\n\r\n`,
    );
  }
  const stream = await EventStream.open(stage.client(server), '/threads/unread/stream');
  const before = memoryOf(server.pid).nowBytes;
  for (let step = 1; step <= steps; step += 1)
    await client.record(checkpointText('unread', step, { padding: 100_000 }));
  await stream.until('the last step', ({ seen }) => seen.some(({ data }) => data.step_index === steps), 60_000);
  const grownMib = (memoryOf(server.pid).nowBytes - before) / MIB;
  const seen = await reportFor(stage, client, 'beside-unread', 500);
  stream.close();
  sockets.forEach((socket) => socket.destroy());
  stage.expect('Whoever reads gets everything; others are served as usual.', seen.isFine, seen.text);
  stage.expect(
    'What is not read does not pile up: under 250 MiB more.',
    !(grownMib > 250),
    `${grownMib.toFixed(0)} MiB more`,
  );
}

async function reportFor(stage, client, name, ms) {
  const reporters = new Reporters(() => client, { name, writers: 8, restMs: restOfBystanders(stage) });
  const end = performance.now() + ms;
  await whileReporting(reporters, () =>
    until('the time to pass', () => performance.now() > end && reporters.total > 0, ms + 30_000),
  );
  const slowest = Math.max(...reporters.latenciesMs);
  const isFine = reporters.faults.count === 0 && reporters.again.size === 0 && slowest < stage.patience(2000);
  return { isFine, text: `${reporters.total} reports, the slowest ${slowest.toFixed(0)} ms, ${reporters.againText}` };
}

function connectAll(port, count) {
  return Promise.all(Array.from({ length: count }, () => connected(port)));
}

function connected(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => undefined);
  });
}

function openFilesLimit() {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024);
  } catch {
    return 1024;
  }
}
