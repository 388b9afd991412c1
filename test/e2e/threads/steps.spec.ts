import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, EVENTS, ok, record, recordEach, threadPath, type Page } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

interface Step {
  trace_id: string;
  agent_id: string;
  attempt: number;
  step_index: number;
  status: string;
  error: unknown;
  history_length: number;
  history_places: string;
  history_meta_places: string;
  cursor: string;
}

async function stepsOf(threadId: string, query: Record<string, string> = {}): Promise<Step[]> {
  return ok(await server.api.get(threadPath(threadId, '/steps', query))).json<Page<Step>>().items;
}

const messagesPath = (threadId: string, query: Record<string, string>) => threadPath(threadId, '/messages', query);

describe('The steps of a thread', () => {
  it('are 404 for an unknown thread', async () => {
    problemOf(await server.api.get(threadPath(newThreadId(), '/steps')), 404);
    problemOf(await server.api.get(threadPath(newThreadId(), '/messages')), 404);
  });

  it('are its checkpoints in their order, with attempts, and without anything that was said', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1));
    await recordEach(server.api, completed(threadId), checkpoint(threadId, 0, { history: conversation(1, ' again') }));
    await record(server.api, checkpoint(threadId, 0, { trace_id: 'run-2', note: 'x'.repeat(1000) }));
    const steps = await stepsOf(threadId);
    const place = ({ trace_id, attempt, step_index }: Step) => [trace_id, attempt, step_index];
    expect(steps.map(place)).toEqual([
      ['run-1', 1, 0],
      ['run-1', 1, 1],
      ['run-1', 2, 0],
      ['run-2', 1, 0],
    ]);
    expect(JSON.stringify(steps)).not.toMatch(/question|answer|xxx/);
    const rows = await checkpointsOf(server.api, threadId, { history: 'none' });
    expect(steps.map((step) => step.history_length)).toEqual(rows.map((row) => row.history_length));
    expect((await stepsOf(threadId, { trace_id: 'run-2' })).map(place)).toEqual([['run-2', 1, 0]]);
    expect(await stepsOf(threadId, { trace_id: 'run-3' })).toEqual([]);
    expect((await stepsOf(threadId, { cursor: steps[1]!.cursor })).map(place)).toEqual(steps.slice(2).map(place));
  });

  it('of a trace are those of each run with it, also where a bound token took the trace first', async () => {
    const threadId = newThreadId();
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['evil'] });
    const evil = server.api.as(made.json<{ token: string }>().token);
    const of = (agent_id: string, step: number, trace_id = 'shared') =>
      checkpoint(threadId, step, { agent_id, trace_id, history: conversation(step + 1) });
    await record(evil, of('evil', 0), of('evil', 1));
    await recordEach(server.api, of('other', 0, 'other'), of('support', 0), of('support', 1));
    const all = ['evil 0', 'evil 1', 'support 0', 'support 1'];
    const name = ({ agent_id, step_index }: { agent_id: string; step_index: number }) => `${agent_id} ${step_index}`;
    const query = { trace_id: 'shared' };
    expect((await checkpointsOf(server.api, threadId, query)).map(name)).toEqual(all);
    const ofSupport = await checkpointsOf(server.api, threadId, { ...query, agent_id: 'support', history: 'new' });
    expect(ofSupport.map(name)).toEqual(['support 0', 'support 1']);
    expect(ofSupport.map(({ history }) => history.length)).toEqual([1, 1]);
    for (const path of ['/steps', '/checkpoints']) {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const page = ok(await server.api.get(threadPath(threadId, path, { ...query, limit: '1', cursor }))).json<
          Page<Step>
        >();
        seen.push(...page.items.map(name));
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(all);
    }
    evil.close();
  });

  it('come in pages, whose cursors the checkpoints take, too', async () => {
    const threadId = newThreadId();
    for (let step = 0; step < 5; step++) await record(server.api, checkpoint(threadId, step));
    const page = async (query: Record<string, string>) =>
      ok(await server.api.get(threadPath(threadId, '/steps', { limit: '2', ...query }))).json<Page<Step>>();
    const first = await page({});
    const second = await page({ cursor: first.next_cursor! });
    const third = await page({ cursor: second.next_cursor! });
    expect([...first.items, ...second.items].map((step) => step.step_index)).toEqual([0, 1, 2, 3]);
    expect(first.next_cursor).toBe(first.items[1]!.cursor);
    expect(third.next_cursor).toBeNull();
    const [row] = await checkpointsOf(server.api, threadId, { cursor: first.items[1]!.cursor, limit: '1' });
    expect(row).toMatchObject({ step_index: 2, history: conversation(6) });
  });
});

describe('The messages of a thread', () => {
  it('are given by the places of a step, exactly, whatever became of the history later', async () => {
    const threadId = newThreadId();
    const exact = '{"role":"tool","content":[9007199254740993,1.50,"ü\\u202e"]}';
    const [q, a, summary] = ['q', 'a', 'summary'].map((content) => ({ role: 'user', content }));
    await record(
      server.api,
      checkpoint(threadId, 0, { history: [q, a], history_meta: [{ tokens: 1 }, { tokens: 2 }] }),
    );
    const body = JSON.stringify({ events: [checkpoint(threadId, 1, { history: [q, a, 'EXACT'], history_meta: [] })] });
    ok(await server.api.post(EVENTS, body.replace('"EXACT"', exact)));
    await record(server.api, checkpoint(threadId, 2, { history: [summary, a], history_meta: [] }));
    const steps = await stepsOf(threadId);
    const places = steps.map((step) => step.history_places);
    expect(places).toEqual(['0-1', '0-2', '3,1']);
    const texts = await Promise.all(
      places.map(async (history) => (await server.api.get(messagesPath(threadId, { history }))).text),
    );
    expect(texts).toEqual([
      `{"history":[${JSON.stringify(q)},${JSON.stringify(a)}],"history_meta":[]}`,
      `{"history":[${JSON.stringify(q)},${JSON.stringify(a)},${exact}],"history_meta":[]}`,
      `{"history":[${JSON.stringify(summary)},${JSON.stringify(a)}],"history_meta":[]}`,
    ]);
    const meta = await server.api.get(messagesPath(threadId, { history_meta: steps[0]!.history_meta_places }));
    expect(meta.json()).toEqual({ history: [], history_meta: [{ tokens: 1 }, { tokens: 2 }] });
  });

  it.each(['2', '0-2', '1-0', '0-1-2', ',', 'a', '0,', '9999999999', '0-1 ', Array(201).fill('0').join(',')])(
    'at %j are a 400',
    async (history) => {
      const threadId = newThreadId();
      await record(server.api, checkpoint(threadId, 0));
      const problem = problemOf(await server.api.get(messagesPath(threadId, { history })), 400);
      expect(problem.errors?.[0]?.path).toBe('history');
    },
  );
});

describe('A thread without its history', () => {
  it('is the same but for its two lists', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { history_meta: [{ tokens: 1 }] }));
    const whole = (await server.api.get(threadPath(threadId))).json();
    const lean = (await server.api.get(threadPath(threadId, '', { history: 'none' }))).json();
    expect(lean).toEqual({ ...whole, history: [], history_meta: [] });
    const problem = problemOf(await server.api.get(threadPath(threadId, '', { history: 'half' })), 400);
    expect(problem.errors?.[0]?.path).toBe('history');
  });
});
