import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { PlatformCalls } from './platform-calls.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const PIECE = Buffer.alloc(256 * 1024);
/** More than the connection buffers. */
const PIECES = 400;

let server: Server;
let take: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((request, response) => take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
});
afterEach(() => {
  jest.useRealTimers();
  server.closeAllConnections();
  server.close();
});

/**
 * The upload's result and duration in milliseconds.
 * @param pause seconds between two pieces
 */
async function ended(pause: number, pieces = PIECES) {
  const clock = new EventEmitter();
  const bytes = async function* () {
    for (let sent = 0; sent < pieces; sent++) {
      yield PIECE;
      for (let passed = 0; passed < pause; passed++) await once(clock, 'second');
    }
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sendDocument`;
  const body = { mediaType: 'application/pdf', sizeBytes: PIECE.length * pieces, bytes };
  let end: unknown;
  void new PlatformCalls(3_000).upload({ url, body }, new AbortController().signal).then(
    (answer) => (end = answer),
    (error: unknown) => (end = error),
  );
  let passedMs = 0;
  for (; end === undefined; passedMs += SECOND_MS) {
    // The connection is real, and needs event loop turns.
    for (let turns = 0; turns < 30; turns++) await turn();
    jest.advanceTimersByTime(SECOND_MS);
    clock.emit('second');
  }
  return { end, passedMs };
}

describe('A file on its way to a platform', () => {
  it('that takes no more of it is given up after a minute, and was certainly not taken', async () => {
    take = (request) => request.pause();
    const { end, passedMs } = await ended(0);
    expect(end).toMatchObject({ message: 'the platform did not take the file in time', isCertain: true });
    expect(passedMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('that took all and does not answer is given up after a minute, and may have been taken', async () => {
    take = (request) => request.resume();
    const { end, passedMs } = await ended(0, 4);
    expect(end).toMatchObject({ message: 'the platform did not take the file in time', isCertain: false });
    expect(passedMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('is given up after ten minutes, however it moves', async () => {
    take = (request) => request.resume();
    const { end, passedMs } = await ended(20);
    expect(end).toMatchObject({ message: 'the platform did not take the file in time', isCertain: true });
    expect([passedMs >= 10 * MINUTE_MS, passedMs < 11 * MINUTE_MS]).toEqual([true, true]);
  });

  it('follows no redirect', async () => {
    const paths: string[] = [];
    take = (request, response) => {
      paths.push(request.url!);
      request.resume().on('end', () => response.writeHead(307, { location: '/elsewhere' }).end());
    };
    expect((await ended(0, 4)).end).toMatchObject({ isCertain: false });
    expect(paths).toEqual(['/sendDocument']);
  });
});
