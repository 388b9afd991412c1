// Newer forms of LangChain's questions, and people's answers, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN. The values are
// those of `langchain` 1.5.18 and later, asked by real graphs.
import { randomUUID } from 'node:crypto';
import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, Send, StateGraph, interrupt } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const { WAYSTATION_API_URL, WAYSTATION_TOKEN } = process.env;

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${WAYSTATION_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(WAYSTATION_API_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const found = await answer.json();
  return found;
}

/** A graph whose model calls tools, each of which then asks in its own task, as LangChain agents do. */
class Graph {
  config = { configurable: { thread_id: randomUUID() } };
  traceId = `langgraph:${this.config.configurable.thread_id}`;
  /** Results of the interrupts, by call id. */
  told = {};

  /** @param ask called with each call, in a task; `calls` is the input of one task */
  constructor(calls, ask, tasks = calls.map((one) => [one])) {
    Object.assign(this, { calls, ask, tasks });
  }

  /** Built as in another process. */
  compiled() {
    return new StateGraph(MessagesAnnotation)
      .addNode('model', () => ({ messages: [new AIMessage({ content: '', tool_calls: this.calls })] }))
      .addNode('tools', ({ some }) => {
        const told = this.ask(some);
        for (const { id } of some) this.told[id] = told;
        return {};
      })
      .addEdge(START, 'model')
      .addConditionalEdges('model', () => this.tasks.map((some) => new Send('tools', { some })), ['tools'])
      .compile({ checkpointer: new WaystationSaver() });
  }

  async begin() {
    await this.compiled().invoke({ messages: 'Go' }, this.config);
    return this;
  }

  async asked() {
    const { items } = await call('GET', `/approvals?trace_id=${this.traceId}`);
    expect(items).toHaveLength(1);
    return items[0];
  }

  async decide(verb, bodyOf) {
    const { step, tool_calls } = await this.asked();
    const indexOf = (id) => tool_calls.findIndex((one) => one.id === id);
    return call('POST', `/approvals/${this.traceId}/${step}/${verb}`, bodyOf?.(indexOf));
  }

  async resumed(options) {
    await resumeWhenDecided(this.compiled(), this.config, { signal: AbortSignal.timeout(20_000), ...options });
    return this.told;
  }
}

const MAIL = { name: 'send_email', args: { to: 'alice' }, id: 'call_email' };
const DELETE = { name: 'delete_file', args: { path: 'x.txt' }, id: 'call_delete' };
const ASK = { name: 'ask_user', args: { question: 'Which colour?', options: ['red', 'blue'] }, id: 'call_ask' };

/** Each call in its own interrupt. */
function perCall(allowed) {
  return ([{ name, args, id }]) => {
    const branch = (type) =>
      z.object({ type: z.literal(type), message: z.string().optional(), edited_action: z.any() });
    const responseSchema = z.discriminatedUnion('type', allowed[name].map(branch));
    return interrupt({ type: 'tool_approval', tool_call_id: id, name, args, description: 'Look.' }, { responseSchema });
  };
}

/** All calls in one. */
function batched(allowed, isPython = false) {
  return (calls) => {
    const requests = calls.map(({ name, args }) => ({ name, args, description: 'Look.' }));
    const of = (name) => allowed[name];
    if (!isPython) {
      const reviewConfigs = calls.map(({ name }) => ({ actionName: name, allowedDecisions: of(name) }));
      return interrupt({ actionRequests: requests, reviewConfigs });
    }
    const review_configs = calls.map(({ name }) => ({ action_name: name, allowed_decisions: of(name) }));
    return interrupt({ action_requests: requests, review_configs });
  };
}

const ALL = ['approve', 'edit', 'reject', 'respond'];

it('answers each call that asks in an interrupt of its own, with one decision each', async () => {
  const graph = await new Graph(
    [MAIL, DELETE],
    perCall({ send_email: ALL, delete_file: ['approve', 'reject'] }),
  ).begin();
  const { tool_calls, approval_features } = await graph.asked();
  expect([...approval_features].sort()).toEqual(['edit_args', 'per_call']);
  expect(tool_calls.map(({ id, allowed_decisions }) => [id, allowed_decisions]).sort()).toEqual([
    ['call_delete', ['approve', 'reject']],
    ['call_email', undefined],
  ]);
  const edit = (indexOf) => ({ decisions: [{ index: indexOf('call_delete'), decision: 'approve', args: {} }] });
  expect(await graph.decide('approve', edit)).toMatchObject({ status: 409, code: 'decision_not_allowed' });
  await graph.decide('approve', (indexOf) => ({
    decisions: [
      { index: indexOf('call_email'), decision: 'approve', args: { to: 'bob' } },
      { index: indexOf('call_delete'), decision: 'reject', reason: 'Keep it.' },
    ],
  }));
  expect(await graph.resumed()).toMatchObject({
    call_email: { type: 'edit', edited_action: { name: 'send_email', args: { to: 'bob' } } },
    call_delete: { type: 'reject', message: 'Keep it.' },
  });
});

it('tells equal calls apart by the ids that the interrupts give', async () => {
  const calls = ['e1', 'e2', 'e3'].map((id) => ({ ...MAIL, id }));
  const graph = await new Graph(calls, perCall({ send_email: ALL })).begin();
  await graph.decide('approve', (indexOf) => ({ decisions: [{ index: indexOf('e2'), decision: 'reject' }] }));
  const told = await graph.resumed();
  expect(
    Object.entries(told)
      .map(([id, { type }]) => `${id} ${type}`)
      .sort(),
  ).toEqual(['e1 approve', 'e2 reject', 'e3 approve']);
});

it.each([
  ['in an interrupt of its own', perCall, { type: 'respond', message: 'blue' }],
  ['in one of all calls', batched, { decisions: [{ type: 'respond', message: 'blue' }] }],
])('asks a call that people may only respond to as a question, %s', async (_, form, told) => {
  const graph = await new Graph([ASK], form({ ask_user: ['respond'] })).begin();
  const { kind, tool_calls } = await graph.asked();
  expect([kind, tool_calls[0].questions]).toMatchObject([
    'question',
    [{ text: 'Which colour?', options: [{ value: 'red' }, { value: 'blue' }], free_text: true }],
  ]);
  expect(await graph.decide('approve')).toMatchObject({ status: 409, code: 'answer_required' });
  await graph.decide('answer', () => ({ answers: [{ index: 0, values: { q0: 'blue' } }] }));
  expect(await graph.resumed()).toMatchObject({ call_ask: told });
});

it('asks in the words of the middleware where the question is none that people could read', async () => {
  const call = { ...ASK, args: { question: ' ', options: ['red', ' '] } };
  const graph = await new Graph([call], batched({ ask_user: ['respond'] })).begin();
  const { tool_calls } = await graph.asked();
  expect(tool_calls[0].questions).toMatchObject([{ text: 'Look.', options: [], free_text: true }]);
});

it('tells the model what a person said who declined a question', async () => {
  const graph = await new Graph([ASK], batched({ ask_user: ['respond'] })).begin();
  await graph.decide('reject', () => ({ reason: 'Ask Eve.' }));
  expect(await graph.resumed()).toEqual({ call_ask: { decisions: [{ type: 'respond', message: 'Ask Eve.' }] } });
});

it.each([false, true])(
  'gives an answer beside the decisions on other calls, in their order; as Python asks: %s',
  async (isPython) => {
    const allowed = { ask_user: ['respond'], send_email: ['approve', 'edit', 'reject'] };
    const graph = await new Graph([MAIL, ASK], batched(allowed, isPython), [[MAIL, ASK]]).begin();
    const answer = (mail) => (indexOf) => ({
      answers: [{ index: indexOf('call_ask'), values: { q0: 'green' } }],
      decisions: [{ index: indexOf('call_email'), ...mail }],
    });
    // LangChain for JavaScript would lose calls that are not rejected.
    expect(await graph.decide('answer', answer({ decision: 'reject' }))).toMatchObject({ status: 409 });
    await graph.decide('answer', answer({ decision: 'approve', args: { to: 'bob' } }));
    const edited = isPython ? 'edited_action' : 'editedAction';
    const { call_email } = await graph.resumed();
    expect(call_email).toEqual({
      decisions: [
        { type: 'edit', [edited]: { name: 'send_email', args: { to: 'bob' } } },
        { type: 'respond', message: 'green' },
      ],
    });
  },
);

it('gives an interrupt with questions the answers', async () => {
  const form = {
    topic: 'colours',
    questions: [
      { id: 'colour', text: 'Which colour?', options: [{ label: 'Blue', value: 'b' }] },
      { text: 'Why?', required: false },
    ],
  };
  const graph = await new Graph([ASK], () => interrupt(form)).begin();
  expect(await graph.asked()).toMatchObject({ kind: 'question', tool_calls: [{ name: 'tools', args: form }] });
  await graph.decide('answer', () => ({ answers: [{ index: 0, values: { colour: 'b' } }], decided_by: 'Ada' }));
  expect(await graph.resumed()).toMatchObject({
    call_ask: { approved: true, value: form, answers: { colour: 'b' }, decidedBy: expect.anything() },
  });
});

it('takes a value with questions of other words for what it is', async () => {
  const graph = await new Graph([ASK], () => interrupt({ questions: ['really?'] })).begin();
  expect(await graph.asked()).toMatchObject({ kind: 'approval', tool_calls: [{ args: { questions: ['really?'] } }] });
  await graph.decide('approve');
  expect(await graph.resumed()).toMatchObject({ call_ask: { approved: true } });
});
