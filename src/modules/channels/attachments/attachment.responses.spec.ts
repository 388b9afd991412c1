import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { receiveFile, sendFile } from './attachment.responses.js';
import type { FileTransfer } from './attachments.service.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const PIECE = Buffer.alloc(64 * 1024);

const request = { method: 'GET', headers: {}, destroy: jest.fn() };

/** A connection to an agent. @param isRead whether the agent reads it */
function connection(isRead: boolean): PassThrough & ApiResponse {
  const response = new PassThrough({ highWaterMark: 1 });
  if (isRead) response.resume();
  return Object.assign(response, { req: request, setHeader: () => undefined }) as unknown as PassThrough & ApiResponse;
}

/** Emits `second` for each simulated second. */
const clock = new EventEmitter();

/** @param seconds between two pieces */
async function* piecesEvery(seconds: number): AsyncGenerator<Buffer> {
  for (;;) {
    yield PIECE;
    for (let passed = 0; passed < seconds; passed++) await once(clock, 'second');
  }
}

async function* nothing(): AsyncGenerator<Buffer> {
  yield PIECE;
  await new Promise(() => undefined);
}

function send(response: ApiResponse, bytes: AsyncIterable<Uint8Array>): void {
  const file: FileTransfer = {
    ...{ name: 'a.bin', mediaType: null, answeredType: null, sizeBytes: null, maxBytes: Infinity },
    bytes,
  };
  void sendFile(request as unknown as ApiRequest, response, file);
}

/** Advances the time second by second. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += SECOND_MS) {
    jest.advanceTimersByTime(SECOND_MS);
    clock.emit('second');
    for (let turns = 0; turns < 3; turns++) await turn();
  }
}

beforeEach(() => {
  request.destroy.mockClear();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('A file on its way to an agent', () => {
  it.each<[string, boolean, AsyncGenerator<Buffer>]>([
    ['a platform sends nothing', true, nothing()],
    ['the agent takes nothing', false, piecesEvery(1)],
  ])('is cut off where %s for 30 seconds', async (_, isRead, bytes) => {
    const response = connection(isRead);
    send(response, bytes);
    await pass(28 * SECOND_MS);
    expect(response.destroyed).toBe(false);
    await pass(4 * SECOND_MS);
    expect(response.destroyed).toBe(true);
  });

  it('is cut off after ten minutes, however it moves', async () => {
    const response = connection(true);
    send(response, piecesEvery(20));
    await pass(10 * MINUTE_MS - 2 * SECOND_MS);
    expect(response.destroyed).toBe(false);
    await pass(4 * SECOND_MS);
    expect(response.destroyed).toBe(true);
  });
});

describe('A file on its way from an agent', () => {
  async function receive(bytes: AsyncGenerator<Buffer>): Promise<void> {
    for await (const _piece of receiveFile(request as unknown as ApiRequest, bytes).bytes);
  }

  it('is cut off where nothing comes for 30 seconds', async () => {
    void receive(nothing());
    await pass(28 * SECOND_MS);
    expect(request.destroy).not.toHaveBeenCalled();
    await pass(4 * SECOND_MS);
    expect(request.destroy).toHaveBeenCalled();
  });

  it('is cut off after ten minutes, however it moves', async () => {
    void receive(piecesEvery(20));
    await pass(10 * MINUTE_MS - 2 * SECOND_MS);
    expect(request.destroy).not.toHaveBeenCalled();
    await pass(4 * SECOND_MS);
    expect(request.destroy).toHaveBeenCalled();
  });
});
