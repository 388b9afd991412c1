import { jest } from '@jest/globals';
import { get, type IncomingMessage } from 'node:http';
import { ShutdownSignal } from '../../../src/common/shutdown-signal.js';
import { ChangeFeed } from '../../../src/database/change-feed.js';
import { Database } from '../../../src/database/database.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { EventStream } from '../../support/event-stream.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { record, threadPath } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

let server: InProcessApp;
const open: EventStream[] = [];

beforeAll(async () => {
  server = await startApp();
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => server.stop());

async function follow(threadId: string): Promise<EventStream> {
  const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'));
  open.push(stream);
  return stream;
}

/** A stream that nobody reads yet. */
function openRaw(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = get(new URL(server.api.baseUrl + path), { headers: server.api.headersFor(), agent: false }, resolve);
    call.on('error', reject);
  });
}

function listeners(): number {
  const feed = server.app.get<unknown, { listeners: Map<number, unknown> }>(ChangeFeed, { strict: false });
  return feed.listeners.size;
}

describe('A reader of the live stream', () => {
  it('is let go when the thread is deleted', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const before = listeners();
    const streams = await Promise.all(Array.from({ length: 5 }, () => follow(threadId)));
    await waitFor('the subscription', () => listeners() === before + 1);
    streams[0]!.close();
    await server.api.delete(threadPath(threadId));
    await waitFor('the end of the streams', () => streams.every(({ isEnded }) => isEnded));
    await waitFor('the end of the subscription', () => listeners() === before);
  });

  it('that sends HEAD gets no stream', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    for (const rest of ['', '/checkpoints', '/stream']) {
      const answer = await server.api.send('HEAD', threadPath(threadId, rest));
      expect([rest, answer.status, answer.text]).toEqual([rest, 200, '']);
    }
    problemOf(await server.api.get(threadPath(`${threadId}\0`, '/stream')), 404);
  });

  it('that is slow makes the server wait', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const text = (step: number) => [{ role: 'user', content: `${step} ${'x'.repeat(500_000)}` }];
    for (let step = 1; step <= 40; step++)
      await record(server.api, checkpoint(threadId, step, { history: text(step) }));
    const database = server.app.get(Database, { strict: false });
    const read = jest.spyOn(database, 'read');
    const response = await openRaw(threadPath(threadId, '/stream', { last_event_id: '1' }));
    await waitFor('the server to wait', async () => {
      const before = read.mock.calls.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return read.mock.calls.length === before;
    });
    expect(read.mock.calls.filter(([sql]) => sql.includes('AS history_meta')).length).toBeLessThan(40);
    read.mockRestore();
    let end = '';
    for await (const chunk of response) {
      end = (end + String(chunk)).slice(-500_500);
      if (end.includes('\nid: 41\n')) break;
    }
    expect(end).toContain('\nid: 41\n');
  });

  // Must be the last test: nothing is served after it.
  it('is let go when the process stops', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    await stream.until('the latest checkpoint', ({ seen }) => seen.length === 1);
    server.app.get(ShutdownSignal, { strict: false }).begin();
    await waitFor('the end of the stream', () => stream.isEnded);
  });
});
