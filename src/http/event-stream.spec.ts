import { PassThrough } from 'node:stream';
import { jest } from '@jest/globals';
import { DomainError } from '../common/domain-error.js';
import type { ApiResponse } from './api-request.js';
import { sendEventStream } from './event-stream.js';

const PING_MS = 15_000;

function responseTo(isStillAdmitted: () => Promise<boolean>): PassThrough & ApiResponse {
  const parts = {
    req: { method: 'GET', isStillAdmitted },
    setHeader: () => undefined,
    getHeader: () => undefined,
    flushHeaders: () => undefined,
  };
  return Object.assign(new PassThrough(), parts) as unknown as PassThrough & ApiResponse;
}

/** One event, sent when `tell` is called. */
function laterEvent() {
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  async function* events(): AsyncGenerator<string> {
    await told;
    yield 'data: news\n\n';
  }
  return { tell: () => tell(), events: events() };
}

describe('A stream whose token cannot be looked up', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is kept while nothing is to be told, and fails rather than tell', async () => {
    const response = responseTo(() => Promise.reject(new DomainError('unavailable', 'storage', 'No answer.')));
    const { tell, events } = laterEvent();
    const sent = sendEventStream(response, events);
    await jest.advanceTimersByTimeAsync(PING_MS);
    expect([response.destroyed, String(response.read())]).toEqual([false, ':\n\n']);
    tell();
    await expect(sent).rejects.toMatchObject({ kind: 'unavailable' });
    expect(response.read()).toBeNull();
  });

  it('is kept when it can be again, and tells what it was to tell', async () => {
    let isAnswering = false;
    const response = responseTo(() => (isAnswering ? Promise.resolve(true) : Promise.reject(new Error('No answer.'))));
    const { tell, events } = laterEvent();
    const sent = sendEventStream(response, events);
    await jest.advanceTimersByTimeAsync(PING_MS);
    isAnswering = true;
    tell();
    await sent;
    expect(String(response.read())).toBe(':\n\ndata: news\n\n');
  });
});
