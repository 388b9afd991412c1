import { createHash } from 'node:crypto';
import {
  checkpoint,
  completed,
  conversation,
  metaOf,
  newThreadId,
  started,
  type RunnerEvent,
} from '../../factories/events.js';
import { checkpointsOf, EVENTS, expectUnchangedBy, latestOf, record, recordEach } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
/** A second server on the same database, on PostgreSQL. */
let second: ServerProcess | null = null;
beforeAll(async () => {
  if (server.storage.dialect === 'postgres') second = await ServerProcess.start(server.storage);
});
afterAll(() => second?.stop());

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

interface Base {
  id: string;
  length: number;
  is_latest?: boolean;
}

/** A checkpoint with a whole history of one turn per step. */
function whole(threadId: string, id: string, step: number, fields: Record<string, unknown> = {}): RunnerEvent {
  return { ...checkpoint(threadId, step, fields), id };
}

/** The same with only what follows its base. */
function based(
  threadId: string,
  id: string,
  step: number,
  base: Base,
  fields: Record<string, unknown> = {},
): RunnerEvent {
  const { type, data } = checkpoint(threadId, step, fields);
  const members = Object.entries(data).flatMap<[string, unknown]>(([name, value]) => {
    if (name === 'history')
      return [
        ['history_base', base],
        [name, (value as unknown[]).slice(base.length)],
      ];
    return [[name, name === 'history_meta' ? (value as unknown[]).slice(base.length) : value]];
  });
  return { type, id, data: Object.fromEntries(members) };
}

async function refusalOf(...events: RunnerEvent[]): Promise<Record<string, unknown>> {
  const answer = await server.api.post(EVENTS, { events });
  expect([400, 207]).toContain(answer.status);
  const { rejected } = answer.json<{ rejected: Record<string, unknown>[] }>();
  expect(rejected).toHaveLength(1);
  return rejected[0]!;
}

describe('A report that goes on from an earlier one', () => {
  it('is read like one with whole lists', async () => {
    const threadId = newThreadId();
    await record(server.api, whole(threadId, 'e0', 0));
    await record(server.api, based(threadId, 'e1', 1, { id: 'e0', length: 2 }));
    await record(server.api, based(threadId, 'e2', 2, { id: 'e1', length: 3 }));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ history }) => history)).toEqual([2, 4, 6].map((length) => conversation(length)));
    expect(rows.map(({ history_meta: meta }) => meta)).toEqual([2, 4, 6].map((length) => metaOf(conversation(length))));
    expect(JSON.stringify(rows)).not.toContain('history_base');
    expect(JSON.stringify(await latestOf(server.api, threadId))).not.toContain('history_base');
  });

  it('may go on from one of its own batch, of another run, of an earlier attempt, or one that was replaced', async () => {
    const threadId = newThreadId();
    await record(server.api, whole(threadId, 'e0', 0), based(threadId, 'e1', 1, { id: 'e0', length: 2 }));
    await record(server.api, whole(threadId, 'other', 1, { history: conversation(4, ' other') }));
    await record(server.api, based(threadId, 'e2', 2, { id: 'e1', length: 4 }));
    await recordEach(server.api, completed(threadId), started(threadId), {
      ...based(threadId, 'again', 0, { id: 'e1', length: 1 }),
    });
    await record(server.api, based(threadId, 'e3', 0, { id: 'e2', length: 2 }, { trace_id: 'run-2' }));
    const [own, later] = [
      await latestOf(server.api, threadId, { trace_id: 'run-1' }),
      await latestOf(server.api, threadId, { trace_id: 'run-2' }),
    ];
    expect([own.history, later.history]).toEqual([conversation(2), conversation(2)]);
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ history }) => history.length)).toContain(6);
  });

  it('takes as much metadata as there is', async () => {
    const threadId = newThreadId();
    await record(server.api, whole(threadId, 'e0', 1, { history_meta: [{ n: 0 }] }));
    const event = based(threadId, 'e1', 2, { id: 'e0', length: 4 });
    await record(server.api, { ...event, data: { ...event.data, history_meta: [{ n: 1 }] } });
    expect(await latestOf(server.api, threadId)).toMatchObject({
      history: conversation(6),
      history_meta: [{ n: 0 }, { n: 1 }],
    });
  });

  it('is known again as a whole, and the other way round', async () => {
    const threadId = newThreadId();
    await record(server.api, whole(threadId, 'e0', 0));
    await record(server.api, based(threadId, 'e1', 1, { id: 'e0', length: 2 }));
    await record(server.api, whole(threadId, 'e2', 2));
    const { id: _, ...unnamed } = whole(threadId, 'e1', 1);
    await expectUnchangedBy(
      server.api,
      threadId,
      whole(threadId, 'e1', 1),
      based(threadId, 'e2', 2, { id: 'e1', length: 4 }),
      based(threadId, 'e1', 1, { id: 'e0', length: 2 }),
      unnamed,
      // Their bases are not checked.
      based(threadId, 'e1', 1, { id: 'nobody', length: 2 }),
      based(threadId, 'e0', 0, { id: 'e0', length: 1, is_latest: true }),
    );
  });

  it('is refused alone where its base is unknown, shorter, of another agent or of another thread', async () => {
    const threadId = newThreadId();
    const latest = { id: 'e1', step_index: 1, length: 4 };
    await record(server.api, whole(threadId, 'e0', 0), whole(threadId, 'e1', 1));
    await record(server.api, whole(newThreadId(), 'elsewhere', 3));
    const [length, agent] = [2, { agent_id: 'another' }];
    const refused = { type: 'checkpoint', code: 'base_mismatch', detail: expect.stringContaining('no checkpoint') };
    expect(await refusalOf(based(threadId, 'e2', 2, { id: 'nobody', length }))).toEqual({
      index: 0,
      ...refused,
      latest,
    });
    expect(await refusalOf(based(threadId, 'e2', 2, { id: 'e0', length: 3 }))).toMatchObject({ ...refused, latest });
    expect(await refusalOf(based(threadId, 'e2', 2, { id: 'e0', length }, agent))).toMatchObject({
      ...refused,
      latest,
    });
    expect(await refusalOf(based(threadId, 'e2', 2, { id: 'elsewhere', length }))).toMatchObject({
      ...refused,
      latest,
    });
    const unknownRun = based(threadId, 'e2', 2, { id: 'nobody', length }, { trace_id: 'run-9' });
    expect(await refusalOf(whole(threadId, 'e3', 3), unknownRun)).toMatchObject({ index: 1, ...refused, latest: null });
    expect(await latestOf(server.api, threadId)).toMatchObject({ trace_id: 'run-1', step_index: 3 });
    expect(await refusalOf(based(newThreadId(), 'e2', 2, { id: 'e1', length }))).toMatchObject({ latest: null });
    // A refused report is not a replay.
    await record(server.api, whole(threadId, 'e2', 2));
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(4);
  });

  it('is refused where its base must be the latest and is not', async () => {
    const threadId = newThreadId();
    await record(server.api, whole(threadId, 'e0', 0), whole(threadId, 'e1', 1));
    const late = based(threadId, 'e2', 2, { id: 'e0', length: 2, is_latest: true });
    expect(await refusalOf(late)).toMatchObject({
      code: 'base_mismatch',
      detail: expect.stringContaining('not the latest'),
      latest: { id: 'e1', step_index: 1, length: 4 },
    });
    await record(server.api, based(threadId, 'e2', 2, { id: 'e1', length: 4, is_latest: true }));
    const { event_id, history_length, step_index } = await latestOf(server.api, threadId, { history: 'none' });
    expect({ event_id, history_length, step_index }).toEqual({ event_id: 'e2', history_length: 6, step_index: 2 });
    const { id: _, ...unnamed } = whole(threadId, '', 3);
    await record(server.api, unnamed);
    expect(await latestOf(server.api, threadId, { history: 'none' })).toMatchObject({ event_id: null });
  });

  it('is exact where its base lies in very many pieces of the log, and others of its batch go on from it, too', async () => {
    const threadId = newThreadId();
    const all = Array.from({ length: 1_200 }, (_, n) => n);
    const lists: unknown[][] = [all, all.filter((n) => n % 2 === 0)];
    for (const [step, history] of lists.entries())
      await record(server.api, whole(threadId, `e${step}`, step, { history, history_meta: [] }));
    const next = (step: number): RunnerEvent => {
      const from = [1, step - 1, 1, Math.max(1, step - 3)][step % 4]!;
      const length = [600, lists[step - 1]!.length, 599 - step, 500][step % 4]!;
      const added = step % 5 === 0 ? [] : [`m${step}`, 7];
      lists.push([...lists[from]!.slice(0, length), ...added]);
      const base = { id: `e${from}`, length };
      return based(threadId, `e${step}`, step, base, { history: lists[step], history_meta: [] });
    };
    const batch = Array.from({ length: 60 }, (_, n) => next(n + 2));
    await record(server.api, ...batch.slice(0, 40));
    await record(second?.api ?? server.api, ...batch.slice(40));
    const rows = await checkpointsOf(server.api, threadId, { limit: '200' });
    expect(rows.map(({ history }) => history)).toEqual(lists);
    await expectUnchangedBy(server.api, threadId, ...batch);
  });

  it('is refused beside whole lists where the latest is another one, or there is one where none was', async () => {
    const threadId = newThreadId();
    const on = (id: string, latest: string | null): RunnerEvent => {
      const history_base = { id: latest, length: 0, is_latest: true };
      const data = { thread_id: threadId, trace_id: 'run-1', agent_id: 'support', history: [id], history_base };
      return { type: 'checkpoint', id, data };
    };
    await record(server.api, on('e0', null));
    expect(await refusalOf(on('e1', null))).toMatchObject({ code: 'base_mismatch', latest: { id: 'e0' } });
    await record(server.api, on('e2', 'e0'));
    expect(await refusalOf(on('e3', 'e0'))).toMatchObject({ code: 'base_mismatch', latest: { id: 'e2' } });
    expect((await latestOf(server.api, threadId)).history).toEqual(['e2']);
  });

  it('is stored behind the latest or refused, never dropped, whatever the clocks of the reporters say', async () => {
    const threadId = newThreadId();
    const on = (id: string, latest: string | null, occurred_at: string): RunnerEvent => {
      const history_base = { id: latest, length: 0, is_latest: true };
      const data = { thread_id: threadId, trace_id: 'run-1', agent_id: 'support', history: [id], history_base };
      return { type: 'checkpoint', id, occurred_at, data };
    };
    await record(server.api, on('e0', null, '2026-02-01T10:00:01.000Z'));
    const early = '2026-02-01T10:00:00.000Z';
    expect(await refusalOf(on('e1', null, early))).toMatchObject({ code: 'base_mismatch', latest: { id: 'e0' } });
    await record(server.api, on('e1', 'e0', early));
    expect(await latestOf(server.api, threadId)).toMatchObject({ history: ['e1'], step_index: 1 });
    await expectUnchangedBy(server.api, threadId, on('e1', 'e0', early), on('e0', null, '2026-02-01T10:00:01.000Z'));
  });

  it('never replaces the step of another one that appends at the same moment', async () => {
    const threadId = newThreadId();
    const apis = [server.api, second?.api ?? server.api];
    await record(server.api, whole(threadId, 'start', 0));
    let stored = 0;
    const appender = async (name: string, api = server.api) => {
      for (let n = 0; n < 10;) {
        const { event_id: id, history_length: length } = await latestOf(api, threadId, { history: 'none' });
        const data = {
          ...{ thread_id: threadId, trace_id: 'run-1', agent_id: 'support', status: 'in_progress' },
          ...{ history_base: { id, length, is_latest: true }, history: [`${name}${n}`], history_meta: [] },
        };
        const answer = await api.post(EVENTS, { events: [{ type: 'checkpoint', id: `${name}${n}`, data }] });
        if (answer.status !== 200) continue;
        stored += 1;
        n += 1;
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map((name, at) => appender(name, apis[at % 2])));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ step_index: step }) => step)).toEqual(Array.from({ length: stored + 1 }, (_, step) => step));
    expect(rows.map(({ history }) => history.length)).toEqual(rows.map((_, step) => step + 2));
    const last = (rows.at(-1)!.history as unknown[]).slice(2);
    for (const name of ['a', 'b', 'c', 'd'])
      expect(last.filter((text) => String(text).startsWith(name))).toEqual(
        Array.from({ length: 10 }, (_, n) => `${name}${n}`),
      );
  });

  it.each<[string, unknown, string]>([
    ['no object', 'e0', 'data.history_base: expected an object, got a string'],
    ['no id', { length: 1 }, 'data.history_base.id: expected the id of an earlier event'],
    ['no id and a length', { length: 1, is_latest: true }, 'data.history_base.id: expected the id of an earlier event'],
    ['no length', { id: 'e0' }, 'data.history_base.length: expected a number of messages'],
    ['a negative length', { id: 'e0', length: -1 }, 'data.history_base.length: expected an integer from 0'],
    [
      'a text for a flag',
      { id: 'e0', length: 1, is_latest: 'yes' },
      'data.history_base.is_latest: expected true or false',
    ],
  ])('is faulty with %s', async (_, history_base, detail) => {
    const event = { ...checkpoint(newThreadId(), 0, { history_base }), id: 'e1' };
    expect(await refusalOf(event)).toMatchObject({ code: 'invalid_event', detail: expect.stringContaining(detail) });
  });

  it('needs an id, and is no matter for other events', async () => {
    const threadId = newThreadId();
    const history_base = { id: 'e0', length: 0 };
    expect(await refusalOf(checkpoint(threadId, 0, { history_base }))).toMatchObject({
      detail: expect.stringContaining('id: expected a string, because the event has a history_base'),
    });
    await record(server.api, started(threadId, { history_base }), completed(threadId, { history_base: 7 }));
    await record(server.api, { ...checkpoint(threadId, 0, { history_base: null }), id: 'e1' });
    expect(JSON.stringify(await latestOf(server.api, threadId))).not.toContain('history_base');
  });

  it('of a bound token goes on from reports of its own agents alone', async () => {
    const threadId = newThreadId();
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['support'] });
    const bound = server.api.as(made.json<{ token: string }>().token);
    await record(server.api, whole(threadId, 'mine', 0));
    await record(bound, based(threadId, 'e1', 1, { id: 'mine', length: 2 }));
    await record(server.api, whole(threadId, 'boss', 0, { trace_id: 'run-2', agent_id: 'boss' }));
    await record(server.api, whole(threadId, 'secret', 1, { trace_id: 'run-2', history: ['secret'] }));
    const answer = await bound.post(EVENTS, { events: [based(threadId, 'e2', 2, { id: 'secret', length: 1 })] });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('base_mismatch')]);
    expect(answer.text).not.toContain('"secret"');
  });

  it('leaves checkpoints known again that an earlier version stored', async () => {
    const threadId = newThreadId();
    const { id: _, ...unnamed } = whole(threadId, '', 1);
    await record(server.api, unnamed);
    const { history, history_meta } = unnamed.data as Record<string, unknown[]>;
    const text = JSON.stringify({ ...unnamed.data, history: [], history_meta: [] });
    const ofHistory = digestOf(history!.map((message) => digestOf(JSON.stringify(message))).join(''));
    const ofMeta = digestOf(JSON.stringify(history_meta).slice(1, -1));
    const earlier = digestOf(`checkpoint\n${text}\n${ofHistory}${ofMeta}`);
    await changeStored(
      server.storage,
      `UPDATE checkpoint SET digest = '${earlier}' WHERE thread_pk = (SELECT pk FROM thread WHERE id = '${threadId}')`,
    );
    await expectUnchangedBy(server.api, threadId, unnamed);
  });

  it('is announced to those who report', async () => {
    const answer = await server.api.post(EVENTS, { events: [checkpoint(newThreadId(), 0)] });
    expect(answer.headers['waystation-features']).toBe('history_base, questions');
  });
});
