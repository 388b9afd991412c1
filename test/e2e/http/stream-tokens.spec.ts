import { newRun, waiting, type RunIds } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { EventStream } from '../../support/event-stream.js';
import { record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

/** After this time since the token's end, its holder must see no news. */
const TOLD_STILL_MS = 1000;

/** How often a server checks its streams' tokens without news. */
const PING_MS = 15_000;

const server = useServer();
/** Another instance, if the database allows it, which serves the streams. */
let sibling: ServerProcess | undefined;

beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  sibling = await ServerProcess.start(server.storage, { env: { WAYSTATION_HOME: await siblingHome(server.storage) } });
});
afterAll(() => sibling?.stop());

async function mint(fields: Record<string, unknown> = {}): Promise<{ id: string; api: ApiClient }> {
  const answer = await server.api.post('/v1/tokens', { scope: 'admin', ...fields });
  const { id, token } = answer.json<{ id: string; token: string }>();
  return { id, api: (sibling ?? server).api.as(token) };
}

async function revoke(id: string): Promise<void> {
  expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
}

/** Follows with this token until the first event. */
async function follow(api: ApiClient, path: string): Promise<EventStream> {
  const stream = await EventStream.open(api, path);
  await stream.until('its beginning', ({ seen }) => seen.length > 0);
  return stream;
}

const isTold = ({ seen }: EventStream, mark: string) => seen.some(({ data }) => data.includes(mark));

/**
 * Reports news until the streams have ended. Returns the marks of reports too late to be seen, and the last mark of all.
 * A stream that only the next ping ends has seen some of those.
 */
async function newsUntilEnd(run: RunIds, streams: EventStream[]): Promise<{ late: string[]; last: string }> {
  const beganMs = performance.now();
  const late: string[] = [];
  let step = 1;
  let last = '';
  await waitFor('the streams to end', async () => {
    last = `${run.traceId} ${++step};`;
    if (performance.now() - beganMs > TOLD_STILL_MS) late.push(last);
    await record(server.api, waiting(run, step, { pending_tool_calls: [{ name: last, args: {} }] }));
    return streams.every(({ isEnded }) => isEnded);
  });
  return { late, last };
}

const STREAMS: [of: string, pathOf: (run: RunIds) => string][] = [
  ['approvals', () => '/approvals/stream'],
  ['a thread', ({ threadId }) => threadPath(threadId, '/stream')],
];

describe('A stream', () => {
  it.each(STREAMS)(
    'of %s ends with the first news after its token was revoked, and goes on for others',
    async (_, pathOf) => {
      const run = newRun();
      await record(server.api, waiting(run, 1));
      const [former, other] = [await mint(), await mint()];
      const [ended, kept] = [await follow(former.api, pathOf(run)), await follow(other.api, pathOf(run))];
      await revoke(former.id);
      const { late, last } = await newsUntilEnd(run, [ended]);
      expect(late.filter((mark) => isTold(ended, mark))).toEqual([]);
      await kept.until('the last news', (stream) => isTold(stream, last));
      kept.close();
    },
  );

  it('ends with the first news after its token has expired', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const { api } = await mint({ expires_in_seconds: 20 });
    const streams = await Promise.all(STREAMS.map(([, pathOf]) => follow(api, pathOf(run))));
    await waitFor('the token to expire', async () => (await api.get('/threads')).status === 401);
    const { late } = await newsUntilEnd(run, streams);
    for (const stream of streams) expect(late.filter((mark) => isTold(stream, mark))).toEqual([]);
  });
});

describe('Streams on which nothing is told', () => {
  it('end before their first ping, although another instance has revoked their token', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    // A machine that stalls that long tries again; only streams that notice the change end this early.
    await waitFor('so early an end', async () => {
      const { id, api } = await mint();
      const beganMs = performance.now();
      const streams = await Promise.all(STREAMS.map(([, pathOf]) => follow(api, pathOf(run))));
      await revoke(id);
      await waitFor('both to end', () => streams.every(({ isEnded }) => isEnded));
      return performance.now() - beganMs < PING_MS;
    });
  });

  it('end after their token was revoked, and go on for others', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const [former, other] = [await mint(), await mint()];
    const paths = ['/approvals/stream', threadPath(run.threadId, '/stream')];
    const ended = await Promise.all(paths.map((path) => follow(former.api, path)));
    const kept = await Promise.all(paths.map((path) => follow(other.api, path)));
    await revoke(former.id);
    await waitFor('both to end', () => ended.every(({ isEnded }) => isEnded));
    await record(server.api, waiting(run, 2, { pending_tool_calls: [{ name: 'late', args: {} }] }));
    for (const stream of kept) {
      await stream.until('the news', (one) => isTold(one, '"late"'));
      stream.close();
    }
    expect(ended.some((stream) => isTold(stream, '"late"'))).toBe(false);
  });
});
