import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { checkpoint, completed, newThreadId } from '../factories/events.js';
import { EventStream } from '../support/event-stream.js';
import { EVENTS, latestOf, latestPath, record, threadPath } from '../support/recording.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage, type TestStorage } from '../support/storage.js';
import { waitFor } from '../support/wait.js';

/** The server would wait this long for requests in flight; whatever it does not wait for ends at once, even on a busy machine. */
const PATIENT = { WAYSTATION_SHUTDOWN_TIMEOUT_MS: '60000' };
const AT_ONCE_MS = 20_000;
/** Longer than the time for closing after the time for requests in flight: waiting twice this long would mean a forced end. */
const SHORT = { WAYSTATION_SHUTDOWN_TIMEOUT_MS: '9000' };

/** Begins a report that never ends. Resolves once the server processes it. */
async function reportEndlessly(socket: Socket, secret: string): Promise<void> {
  const headers = [
    'Host: 127.0.0.1',
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
  ];
  socket.on('error', () => undefined);
  socket.write([`POST ${EVENTS} HTTP/1.1`, ...headers, '', '{'].join('\r\n'));
  await once(socket, 'data');
}

describe('Shutting the server down', () => {
  let storage: TestStorage;
  let server: ServerProcess;

  beforeAll(async () => {
    storage = await freshStorage();
  });
  beforeEach(async () => {
    server = await ServerProcess.start(storage, { isAlone: true, env: PATIENT });
  });
  afterEach(() => server.kill());
  afterAll(() => storage.dispose());

  it('by SIGINT ends with code 0, as by SIGTERM below', async () => {
    server.signal('SIGINT');
    expect(await server.exit()).toBe(0);
  });

  it('answers what is in flight, and keeps all that it acknowledged', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const posts = Array.from({ length: 40 }, (_, step) =>
      server.api.post(EVENTS, { events: [checkpoint(threadId, step)] }),
    );
    await Promise.race(posts);
    server.signal('SIGTERM');
    const answers = await Promise.allSettled(posts);
    expect(await server.exit()).toBe(0);
    const acknowledged = answers.flatMap((one, step) =>
      one.status === 'fulfilled' && one.value.status === 200 ? [step] : [],
    );
    server = await ServerProcess.start(storage, { isAlone: true });
    const { items } = (await server.api.get(threadPath(threadId, '/checkpoints'))).json<{
      items: { step_index: number }[];
    }>();
    expect(items.map((row) => row.step_index)).toEqual(expect.arrayContaining(acknowledged));
  });

  it('does not wait for long polls, streams, and clients that are connected and silent', async () => {
    const { hostname, port } = new URL(server.api.baseUrl);
    const silent = connect(Number(port), hostname);
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'));
    const waiting = server.api.get(latestPath(threadId, { wait: '60' })).catch(() => undefined);
    await stream.until('the latest checkpoint', (seen) => seen.seen.length > 0);
    const begin = performance.now();
    server.signal('SIGTERM');
    expect(await server.exit()).toBe(0);
    expect(performance.now() - begin).toBeLessThan(AT_ONCE_MS);
    await waiting;
    silent.destroy();
    await waitFor('the stream to end', () => stream.isEnded);
  });

  it('gives what is in flight on the port and on the Unix socket one time to end', async () => {
    await server.stop();
    server = await ServerProcess.start(storage, { isAlone: true, env: SHORT });
    const { hostname, port } = new URL(server.api.baseUrl);
    const sockets = [connect(Number(port), hostname), connect(path.join(storage.home, 'run', 'api.sock'))];
    await Promise.all(sockets.map((socket) => reportEndlessly(socket, storage.secret)));
    server.signal('SIGTERM');
    expect(await server.exit()).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  it('and starting it again changes nothing', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    const before = await latestOf(server.api, threadId);
    await server.stop();
    server = await ServerProcess.start(storage, { isAlone: true });
    expect(await latestOf(server.api, threadId)).toEqual(before);
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId));
    expect(await latestOf(server.api, threadId)).toEqual(before);
  });
});
