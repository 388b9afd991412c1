import { WaystationClient } from '../../../src/client/waystation-client.js';
import { EVENTS_TOKEN, EventsServer } from '../../fakes/events-server.js';
import { newThreadId } from '../../factories/events.js';
import { checkpointsOf, latestOf, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const clients: WaystationClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
});

function client(fields: { apiUrl?: string; token?: string; agentId?: string } = {}): WaystationClient {
  const one = new WaystationClient({
    ...{ apiUrl: server.api.baseUrl, token: server.api.token, agentId: 'support' },
    ...fields,
    onRejected: ({ code, detail }) => {
      throw new Error(`${code}: ${detail}`);
    },
  });
  clients.push(one);
  return one;
}

const message = (n: number) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content: `${n} ${'.'.repeat(500)}` });
const messages = (count: number) => Array.from({ length: count }, (_, n) => message(n));

describe('The client', () => {
  it('reports only what is new, and the server has all of it', async () => {
    const one = client();
    const run = await one.start({ thread_id: newThreadId() });
    for (let step = 0; step < 12; step++) {
      await one.checkpoint({ ...run, step_index: step, history: messages(2 * step + 2) });
      if (step % 3 !== 1) await one.flush();
    }
    await one.complete(run);
    expect(await one.flush()).toBe(true);
    const rows = await checkpointsOf(server.api, run.thread_id);
    expect(rows.map(({ history }) => history)).toEqual(rows.map((_, step) => messages(2 * step + 2)));
    expect(rows).toHaveLength(12);
  });

  it('sends the whole history again where the server has lost what it goes on from', async () => {
    const one = client();
    const run = await one.start({ thread_id: newThreadId() });
    for (const length of [2, 4]) {
      await one.checkpoint({ ...run, history: messages(length) });
      await one.flush();
    }
    await server.api.delete(`/threads/${run.thread_id}`);
    await one.checkpoint({ ...run, history: messages(6) });
    await one.checkpoint({ ...run, history: messages(8) });
    await one.complete(run);
    expect(await one.flush()).toBe(true);
    const rows = await checkpointsOf(server.api, run.thread_id);
    expect(rows.map(({ history, status }) => [history.length, status]).at(-1)).toEqual([8, 'completed']);
    expect((await latestOf(server.api, run.thread_id)).history).toEqual(messages(8));
  });

  it('sends bases only to a server that has announced them', async () => {
    const fake = await EventsServer.start();
    const one = client({ apiUrl: fake.url, token: EVENTS_TOKEN });
    const report = async (length: number) => {
      await one.checkpoint({ thread_id: 't', trace_id: 'r', history: messages(length) });
      expect(await one.flush()).toBe(true);
      return fake.events.at(-1)!.data;
    };
    for (const length of [2, 4]) expect((await report(length)).history).toHaveLength(length);
    fake.features = 'history_base';
    for (const length of [6, 8]) expect((await report(length)).history).toHaveLength(length);
    expect(await report(10)).toMatchObject({
      history: messages(10).slice(8),
      history_base: { id: fake.events.at(-2)!.id, length: 8 },
    });
    fake.features = null;
    await report(12);
    expect((await report(14)).history).toHaveLength(14);
    await fake.stop();
  });

  it('appends beside others, and nobody replaces the step of another one', async () => {
    const [one, two] = [client(), client()];
    const run = await one.start({ thread_id: newThreadId() });
    await one.append(run, [message(0)], { history_meta: [{ ts: '2026-01-01T00:00:00.000Z' }], model: 'm' });
    await two.report('said', run);
    const append = async (by: WaystationClient, name: string) => {
      for (let n = 0; n < 8; n++) await by.append(run, [`${name}${n}`]);
    };
    await Promise.all([append(one, 'a'), append(two, 'b')]);
    const rows = await checkpointsOf(server.api, run.thread_id);
    expect(rows.map(({ step_index: step, history }) => [step, history.length])).toEqual(
      Array.from({ length: 17 }, (_, step) => [step, step + 1]),
    );
    const { history } = await latestOf(server.api, run.thread_id);
    const texts = history as unknown[];
    expect(texts[0]).toEqual(message(0));
    for (const name of ['a', 'b'])
      expect(texts.filter((text) => String(text).startsWith(name))).toEqual(
        Array.from({ length: 8 }, (_, n) => `${name}${n}`),
      );
  });

  it('tells in the words of the server why it may not append', async () => {
    const one = client({ token: 'wrong' });
    const { detail } = (await server.api.get('/v1/system', { token: 'wrong' })).json<{ detail: string }>();
    const appended = one.append({ thread_id: newThreadId(), trace_id: 'r' }, ['a']);
    await expect(appended).rejects.toMatchObject({ status: 401, message: detail });
  });

  it('loses nothing when processes that have reported nothing yet append at once', async () => {
    const run = await client().start({ thread_id: newThreadId() });
    await client().append(run, ['first']);
    const names = Array.from({ length: 8 }, (_, n) => `of ${n}`);
    await Promise.all(names.map((name) => client().append(run, [name])));
    const { history } = await latestOf(server.api, run.thread_id);
    expect(history).toHaveLength(9);
    expect(new Set(history)).toEqual(new Set(['first', ...names]));
  });

  it('loses nothing when they append the first messages of a run at once', async () => {
    const clients8 = Array.from({ length: 8 }, () => client());
    const names = clients8.map((_, n) => `of ${n}`);
    const spoken = { agent_id: 'support', history: ['said before'] };
    for (const before of ['nothing', 'a start', 'a step without an id', 'a step without messages']) {
      const run = { thread_id: newThreadId(), trace_id: 'r' };
      if (before === 'a start') {
        await clients8[0]!.start(run);
        await clients8[0]!.flush();
      }
      if (before === 'a step without an id')
        await record(server.api, { type: 'checkpoint', data: { ...run, ...spoken } });
      if (before === 'a step without messages') {
        await record(server.api, { type: 'checkpoint', id: 'x', data: { ...run, ...spoken, history: [] } });
      }
      await Promise.all(clients8.map((one, n) => one.append(run, [names[n]])));
      const { history, step_index } = await latestOf(server.api, run.thread_id);
      const first = before === 'a step without an id' ? spoken.history : [];
      expect([before, [...history].sort()]).toEqual([before, [...names, ...first].sort()]);
      expect(step_index).toBe(before === 'a step without messages' ? 8 : history.length - 1);
    }
  });

  it('appends to what others reported without ids or under another name', async () => {
    const one = client();
    const run = { thread_id: newThreadId(), trace_id: 'r' };
    await server.api.post('/v1/runners/events', {
      events: [{ type: 'checkpoint', data: { ...run, agent_id: 'support', history: ['a'] } }],
    });
    await one.append(run, ['b']);
    await server.api.post('/v1/runners/events', {
      events: [{ type: 'checkpoint', id: 'x', data: { ...run, agent_id: 'other', history: ['a', 'b', 'c'] } }],
    });
    await one.append(run, ['d', 'e']);
    expect((await latestOf(server.api, run.thread_id)).history).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
