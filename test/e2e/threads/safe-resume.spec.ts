import * as fc from 'fast-check';
import { newRun, REFUND, toolCall, waiting, working, type RunIds } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { decided } from '../../support/approvals.js';
import { claim, claimed, settle, settled, type EffectRecord } from '../../support/effects.js';
import { breakages, broken, conversations } from '../../support/pairing/conversations.js';
import { openAiChatFaults } from '../../support/pairing/openai-chat.js';
import { FOREIGN_SHAPES, PROVIDER_SHAPES } from '../../support/pairing/provider-shapes.js';
import { problemOf } from '../../support/problem.js';
import { rawAt } from '../../support/raw-json.js';
import { latestOf, latestPath, ok, record, type Checkpoint } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

const ASKED = { role: 'user', content: 'Refund order 4711.' };
const CALLED = { role: 'assistant', content: null, tool_calls: [REFUND] };
const CALL_ID = 'call-issue_refund';

interface Resumed extends Checkpoint {
  effects: EffectRecord[];
  history_for_model: Record<string, unknown>[];
  repairs: { index: number; kind: string; call_id: string | null }[];
  waiting: { trace_id: string }[];
}

async function resumed(threadId: string, query: Record<string, string> = {}, api: ApiClient = server.api) {
  return (await latestOf(api, threadId, { resume: 'safe', ...query })) as Resumed;
}

/** The model's result for the call. */
async function toldOf(threadId: string): Promise<unknown> {
  const { history_for_model } = await resumed(threadId);
  expect(openAiChatFaults(history_for_model)).toEqual([]);
  return history_for_model.at(-1)!.content;
}

/** A run killed between its tool call and the result. */
async function interrupted(): Promise<RunIds> {
  const run = newRun();
  await record(server.api, working(run, 0, { history: [ASKED, CALLED] }));
  return run;
}

async function etagOf(threadId: string): Promise<string> {
  return String(ok(await server.api.get(latestPath(threadId, { resume: 'safe' }))).headers.etag);
}

describe('A run that goes on safely', () => {
  it('is given the result that the ledger has, and its own history as it was', async () => {
    const { threadId, traceId } = await interrupted();
    await claimed(server.api, threadId, { trace_id: traceId, call_id: CALL_ID });
    await settled(server.api, threadId, '{"outcome":"completed","result":{"transfer":12345678901234567890}}');
    const answer = ok(await server.api.get(latestPath(threadId, { resume: 'safe' })));
    const { history, history_for_model, repairs, effects, waiting: others } = answer.json<Resumed>();
    expect(history).toEqual([ASKED, CALLED]);
    expect(history_for_model.slice(0, 2)).toEqual(history);
    expect(history_for_model[2]).toEqual({
      ...{ role: 'tool', tool_call_id: CALL_ID },
      content: '{"transfer":12345678901234567890}',
    });
    expect(repairs).toMatchObject([{ index: 1, kind: 'inserted_result', call_id: CALL_ID }]);
    expect(effects).toMatchObject([{ key: 'refund:4711', state: 'completed' }]);
    expect(answer.text).toContain('"result":{"transfer":12345678901234567890}');
    expect(others).toEqual([]);
    const literal = await latestOf(server.api, threadId);
    expect(literal).toMatchObject({ history: [ASKED, CALLED] });
    expect(Object.keys(literal)).not.toContain('effects');
  });

  it('may report what it was given: nothing that the server added is kept beside its own', async () => {
    const run = await interrupted();
    await claimed(server.api, run.threadId, { trace_id: run.traceId, call_id: CALL_ID });
    const names = Object.keys(await latestOf(server.api, run.threadId));
    for (const list of ['full', 'none']) {
      const given = await resumed(run.threadId, { history: list });
      const { history_for_model: history, step_index } = given;
      await record(server.api, working(run, step_index + 1, { ...given, step_index: step_index + 1, history }));
      const latest = await latestOf(server.api, run.threadId);
      expect(latest.history).toEqual(history);
      expect(Object.keys(latest)).toEqual(names);
    }
    const given = await latestOf(server.api, run.threadId, { history: 'none' });
    await record(server.api, working(run, 3, { ...given, step_index: 3 }));
    expect(Object.keys(await latestOf(server.api, run.threadId))).toEqual(names);
  });

  it('may have members of its own by the names of some that the server adds', async () => {
    const run = await interrupted();
    const own = { effects: [], waiting: [], rev: 7, event_id: 'mine' };
    await record(server.api, working(run, 1, { ...own, step_index: 1, history: [ASKED] }));
    expect(await latestOf(server.api, run.threadId)).toMatchObject(own);
  });

  it('is told what is in doubt, what was not started, and where nothing is known', async () => {
    const doubtful = await interrupted();
    expect(await toldOf(doubtful.threadId)).toMatch(/not known whether this call ran/);
    await claimed(server.api, doubtful.threadId, { trace_id: doubtful.traceId, call_id: CALL_ID });
    expect(await toldOf(doubtful.threadId)).toMatch(/was started and not finished/);
    await settled(server.api, doubtful.threadId, { outcome: 'unknown' });
    expect(await toldOf(doubtful.threadId)).toMatch(/in doubt/);
    const other = await interrupted();
    const earlier = { trace_id: other.traceId, key: 'earlier', call_id: 'call-earlier' };
    await claimed(server.api, other.threadId, earlier);
    // The run need not claim calls of other tools: a sub-agent may be executing one.
    expect(await toldOf(other.threadId)).toMatch(/not known whether this call ran/);
    await claimed(server.api, other.threadId, {
      ...earlier,
      key: 'refund:1',
      tool: 'issue_refund',
      args: { order: 1 },
    });
    expect(await toldOf(other.threadId)).toMatch(/not started/);
  });

  it('is told of a call that waits for a person, and of one that was approved or rejected', async () => {
    const states = ['waits for the decision of a person', 'A person approved', 'A person rejected'];
    for (const [i, sentence] of states.entries()) {
      const run = await interrupted();
      await record(server.api, waiting(run, 1));
      await claim(server.api, run.threadId, { trace_id: run.traceId, key: 'mail', call_id: 'call-mail' });
      if (i > 0) await decided(server.api, i === 1 ? 'approve' : 'reject', run, 1);
      expect(await toldOf(run.threadId)).toContain(sentence);
      expect((await resumed(run.threadId)).history).toEqual([ASKED, CALLED]);
    }
  });

  it('is told in a note of an effect whose call it never reported, and no more once it has the result', async () => {
    const run = newRun();
    await record(server.api, working(run, 0, { history: [ASKED] }));
    await claimed(server.api, run.threadId, { trace_id: run.traceId, call_id: CALL_ID });
    await settled(server.api, run.threadId, { outcome: 'completed', result: 'paid' });
    expect(await toldOf(run.threadId)).toMatch(/refund:4711 .*was completed: paid/);
    const result = { role: 'tool', tool_call_id: CALL_ID, content: 'paid' };
    await record(server.api, working(run, 1, { history: [ASKED, CALLED, result] }));
    expect(await resumed(run.threadId)).toMatchObject({ effects: [], repairs: [], waiting: [] });
  });

  it('keeps the exact text of messages that need no repair', async () => {
    const { threadId, traceId } = newRun();
    const exact = '{"role":"user", "content":"x","n":12345678901234567890,"e":1e400}';
    const data = `"thread_id":"${threadId}","trace_id":"${traceId}","agent_id":"support","step_index":0`;
    const history = `[${exact},${JSON.stringify(CALLED)}]`;
    const body = `{"events":[{"type":"checkpoint","data":{${data},"history":${history}}}]}`;
    ok(await server.api.post('/v1/runners/events', body));
    const { text } = ok(await server.api.get(latestPath(threadId, { resume: 'safe' })));
    expect(text).toContain(`"history_for_model":[${exact},`);
  });

  it('gets the topmost run also while a sub-agent waits', async () => {
    const run = await interrupted();
    const child = { threadId: run.threadId, traceId: `${run.traceId}-child` };
    const fields = { parent_trace_id: run.traceId, agent_id: 'researcher' };
    await record(server.api, waiting(child, 0, { ...fields, pending_tool_calls: [toolCall('search')] }));
    expect((await latestOf(server.api, run.threadId)).trace_id).toBe(child.traceId);
    const found = await resumed(run.threadId);
    expect(found).toMatchObject({ trace_id: run.traceId, history: [ASKED, CALLED] });
    expect(found.waiting).toEqual([{ trace_id: child.traceId, agent_id: 'researcher', step_index: 0 }]);
    expect((await resumed(run.threadId, { trace_id: child.traceId })).trace_id).toBe(child.traceId);
  });

  it('sees no effects of agents that its token may not speak for', async () => {
    const { threadId, traceId } = await interrupted();
    await claimed(server.api, threadId, { trace_id: traceId, call_id: CALL_ID, key: 'secret' });
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['billing'] });
    const billing = server.api.as(made.json<{ token: string }>().token);
    problemOf(await billing.get(latestPath(threadId, { resume: 'safe' })), 404);
  });

  it('hears of no run of another agent that waits under its own trace', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: ['billing'] });
    const billing = server.api.as(made.json<{ token: string }>().token);
    const run = newRun();
    await record(server.api, waiting(run, 0));
    await record(billing, working(run, 0, { agent_id: 'billing' }));
    expect((await resumed(run.threadId, {}, billing)).waiting).toEqual([]);
    expect((await resumed(run.threadId)).waiting).toHaveLength(1);
  });

  it('is not misled by members of its own with the names of the server’s', async () => {
    const run = newRun();
    const own = { effects: 'mine', history_for_model: 1, repairs: {}, waiting: null };
    await record(server.api, working(run, 0, { history: [ASKED], ...own }));
    const answer = ok(await server.api.get(latestPath(run.threadId, { resume: 'safe' })));
    expect(answer.text.split('"effects"')).toHaveLength(2);
    expect(answer.json()).toMatchObject({ effects: [], history_for_model: [ASKED], repairs: [], waiting: [] });
  });

  it('can leave out the history as reported', async () => {
    const { threadId } = await interrupted();
    const { history, history_length, history_for_model } = await resumed(threadId, { history: 'none' });
    expect([history, history_length, history_for_model.length]).toEqual([[], 2, 3]);
  });
});

describe('Broken histories', () => {
  it.each(PROVIDER_SHAPES)('are accepted by a strict provider, in the shape of $name', async (shape) => {
    const { write, faultsOf } = shape;
    const samples = fc.sample(fc.tuple(conversations, breakages), 12);
    for (const [steps, faults] of samples) {
      const { threadId, traceId } = newRun();
      const history = broken(shape, write(steps), faults);
      await record(server.api, working({ threadId, traceId }, 0, { history }));
      const { text } = ok(await server.api.get(latestPath(threadId, { resume: 'safe' })));
      expect(rawAt(text, 'history')).toBe(JSON.stringify(history));
      const { history_for_model } = JSON.parse(text) as Resumed;
      const isWhole = faultsOf(history).length === 0;
      if (history_for_model.length > 0) expect(faultsOf(history_for_model)).toEqual([]);
      if (isWhole) expect(rawAt(text, 'history_for_model')).toBe(JSON.stringify(history));
    }
  });
});

describe('A history that is of no known shape', () => {
  it.each(FOREIGN_SHAPES)('is given back as it is, and that is said: $name', async ({ write }) => {
    const { threadId, traceId } = newRun();
    const history = write(fc.sample(conversations, 1)[0]!);
    await record(server.api, working({ threadId, traceId }, 0, { history }));
    await claimed(server.api, threadId, { trace_id: traceId, call_id: CALL_ID });
    ok(await settle(server.api, threadId, { outcome: 'completed' }));
    const { text } = ok(await server.api.get(latestPath(threadId, { resume: 'safe' })));
    expect(rawAt(text, 'history_for_model')).toBe(JSON.stringify(history));
    const { repairs, effects } = JSON.parse(text) as Resumed;
    expect(repairs).toMatchObject([{ index: 0, kind: 'not_understood', call_id: null }]);
    expect(effects).toMatchObject([{ state: 'completed' }]);
  });
});

describe('The ETag of a safe resumption', () => {
  it('changes with its effects, and a wait ends with them', async () => {
    const { threadId, traceId } = await interrupted();
    const first = await etagOf(threadId);
    const headers = { 'if-none-match': first };
    expect((await server.api.get(latestPath(threadId, { resume: 'safe' }), { headers })).status).toBe(304);
    const path = latestPath(threadId, { resume: 'safe', wait: '60' });
    const waitingFor = server.api.get(path, { headers });
    await claimed(server.api, threadId, { trace_id: traceId, call_id: CALL_ID });
    const answer = ok(await waitingFor);
    expect(answer.json<Resumed>().effects).toMatchObject([{ state: 'started' }]);
    const etag = String(answer.headers.etag);
    const next = server.api.get(path, { headers: { 'if-none-match': etag } });
    ok(await settle(server.api, threadId, { outcome: 'completed' }));
    expect(ok(await next).json<Resumed>().effects).toMatchObject([{ state: 'completed' }]);
  });

  it('changes when a claim comes to be in doubt by itself', async () => {
    const { threadId, traceId } = await interrupted();
    await claimed(server.api, threadId, { trace_id: traceId, call_id: CALL_ID, doubt_after_seconds: 2 });
    const path = latestPath(threadId, { resume: 'safe', wait: '60' });
    const answer = await server.api.get(path, { headers: { 'if-none-match': await etagOf(threadId) } });
    expect(answer.json<Resumed>().effects).toMatchObject([{ state: 'started', in_doubt: true }]);
  });
});
