import { get } from 'node:http';
import zlib from 'node:zlib';
import { newThreadId, started } from '../../factories/events.js';
import type { Answer } from '../../support/api-client.js';
import { EVENTS, latestPath, ok, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

/** A page of the texts below, read and sent at once, exceeds the memory that the program leaves. */
const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=112' } });
const COUNT = 12;
const BYTES = 3_200_000;
const LONG = 'ж'.repeat(BYTES / 2);
/** More calls than are shown one by one. */
const CALLS = 10_001;
const FILLING = 'x'.repeat(190);
const numbers = Array.from({ length: COUNT }, (_, n) => n);
const lengths = numbers.map(() => LONG.length);

async function report(...events: object[]): Promise<Answer> {
  const body = zlib.gzipSync(JSON.stringify({ events }), { level: 1 });
  return ok(await server.api.post(EVENTS, body, { headers: { 'content-encoding': 'gzip' } }));
}

function event(type: string, threadId: string, run: number, members: object): object {
  return { type, data: { thread_id: threadId, trace_id: `run-${run}`, agent_id: 'support', ...members } };
}

/**
 * A stream's data, up to this many bytes.
 * @param onBegin called once it has begun
 */
function streamed(path: string, bytes: number, onBegin: () => unknown = () => undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = server.api.headersFor({ headers: { accept: 'text/event-stream' } });
    const call = get(server.api.baseUrl + path, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.once('data', onBegin);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length < bytes) return;
        resolve(Buffer.concat(chunks).toString());
        call.destroy();
      });
      response.on('end', () => reject(new Error(`The stream ended after ${length} bytes.`)));
    });
    call.on('error', reject);
  });
}

describe('A page of long texts', () => {
  const threadId = newThreadId('long');
  const group = newThreadId('listed');

  beforeAll(async () => {
    for (const n of numbers) {
      await report(
        started(threadId, { trace_id: `run-${n}` }),
        event('checkpoint', threadId, n, { step_index: 0, notes: LONG }),
        event('state_saved', threadId, n, { state: LONG }),
        event('thread_error', threadId, n, { error: LONG }),
      );
      await report(event('checkpoint', `${group}-${n}`, n, { step_index: 0, notes: LONG }));
    }
  });

  describe('with approvals', () => {
    const askedId = newThreadId('asked');
    const calls = Array.from({ length: CALLS }, (_, id) => ({
      id: `call-${id}`,
      name: 'run',
      args: { text: FILLING },
    }));

    beforeAll(async () => {
      for (const n of numbers) {
        await report(
          event('checkpoint', askedId, n, { agent_id: `agent-${n}`, step_index: 0, pending_tool_calls: calls }),
        );
      }
    });

    it('is sent one by one', async () => {
      const { items } = ok(await server.api.get(`/approvals?limit=200&thread_id=${askedId}`)).json<{
        items: { tool_calls: object[]; tool_calls_cut?: true }[];
      }>();
      expect(items.map(({ tool_calls }) => tool_calls.length)).toEqual(numbers.map(() => CALLS - 1));
      expect(items.every((item) => item.tool_calls_cut)).toBe(true);
    });

    it('is streamed one by one', async () => {
      const text = await streamed('/approvals/stream', COUNT * CALLS * FILLING.length * 2);
      expect(text.match(/^event: opened$/gm)!.length).toBeGreaterThan(COUNT / 2);
    });

    it('is not read to tell an agent who else waits', async () => {
      const query = { resume: 'safe', agent_id: 'agent-3' };
      const { waiting } = ok(await server.api.get(latestPath(askedId, query))).json<{ waiting: object[] }>();
      expect(waiting).toHaveLength(COUNT);
    });
  });

  afterEach(async () => {
    expect((await server.api.get('/health')).status).toBe(200);
  });

  it.each(['', '&include=history'])('of the list of threads%s is sent item by item', async (further) => {
    const list = ok(await server.api.get(`/threads?limit=200&q=${group}${further}`)).json<{
      items: { notes: string }[];
    }>();
    expect(list.items.map(({ notes }) => notes.length)).toEqual(lengths);
  });

  it('of checkpoints is sent one by one', async () => {
    const { items } = ok(await server.api.get(threadPath(threadId, '/checkpoints'))).json<{
      items: { notes: string; error: string }[];
    }>();
    expect(items.map(({ notes }) => notes.length)).toEqual(lengths);
    expect(items.map(({ error }) => error.length)).toEqual(lengths);
  });

  it.each([threadPath(threadId, '/steps'), `/v1/runners/threads/${threadId}/runs`])(
    'of the errors in %s is sent one by one',
    async (path) => {
      const { items } = ok(await server.api.get(path)).json<{ items: { error: string }[] }>();
      expect(items.map(({ error }) => error.length)).toEqual(lengths);
    },
  );

  it('of events is shown cut in the logs of a thread, beside the errors of its runs', async () => {
    const { run_list, logs } = ok(await server.api.get(threadPath(threadId))).json<{
      run_list: { error: string }[];
      logs: { message: string }[];
    }>();
    expect(run_list.map(({ error }) => error.length)).toEqual(lengths);
    const begin = (message: string) => message.replace(/ж+…$/, '');
    const shown = `too large to show (${LONG.length + '{"error":""}'.length} characters): {"error":"`;
    const messages = logs.map(({ message }) => begin(message));
    expect(messages.filter((message) => message === shown)).toHaveLength(COUNT);
    expect(messages.filter((message) => message.startsWith('state_saved {"message":"too large'))).toHaveLength(COUNT);
  });

  it('of changes is streamed one by one', async () => {
    const text = await streamed(threadPath(threadId, '/stream', { last_event_id: '0' }), 3 * COUNT * BYTES);
    expect(text.match(/^event: checkpoint$/gm)).toHaveLength(COUNT);
    expect(text.match(/^event: status$/gm)!.length).toBeGreaterThanOrEqual(COUNT);
  });

  it('is no page of changed threads: each is streamed by itself', async () => {
    const onBegin = () => Promise.all(numbers.map((n) => report(event('state_saved', `${group}-${n}`, n, { n }))));
    const text = await streamed('/v1/threads/stream', COUNT * BYTES, onBegin);
    expect(text.match(/^event: thread$/gm)!.length).toBeGreaterThanOrEqual(COUNT);
  });
});
