// What people are asked, and when, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN.
import { randomUUID } from 'node:crypto';
import { Annotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { WaystationApi } from '@waystation/client';
import { expect, it, vi } from 'vitest';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const { WAYSTATION_API_URL, WAYSTATION_TOKEN } = process.env;

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${WAYSTATION_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(WAYSTATION_API_URL + path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Nodes of one step, each of which asks its questions in turn; built as in another process. */
function graphOf(nodes, saver = new WaystationSaver()) {
  const State = Annotation.Root({ said: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }) });
  const graph = new StateGraph(State);
  for (const [name, questions] of Object.entries(nodes)) {
    graph.addNode(name, () => ({ said: questions.map((one) => [one, interrupt({ question: one }).approved]) }));
    graph.addEdge(START, name);
  }
  return graph.compile({ checkpointer: saver });
}

function questionsIn({ tool_calls }) {
  return tool_calls.map(({ args }) => args.question).sort();
}

const NODES = {
  'two questions in a row, also equal ones': [{ a: ['same', 'same'] }, [['same'], ['same']]],
  'a node that has finished beside one with two questions': [{ a: ['a1'], b: ['b1', 'b2'] }, [['a1', 'b1'], ['b2']]],
};

it.each(Object.entries(NODES))('asks each question once and loses no decision: %s', async (_, [nodes, rounds]) => {
  const config = { configurable: { thread_id: randomUUID() } };
  const traceId = `langgraph:${config.configurable.thread_id}`;
  await graphOf(nodes).invoke({}, config);
  for (const questions of rounds) {
    const { items } = await call('GET', `/approvals?trace_id=${traceId}`);
    expect(items.map(questionsIn)).toEqual([questions]);
    await call('POST', `/approvals/${traceId}/${items[0].step}/approve`);
    // Another process, which does not know the earlier questions.
    await resumeWhenDecided(graphOf(nodes), config, { signal: AbortSignal.timeout(20_000) });
  }
  const { values, next } = await graphOf(nodes).getState(config);
  const said = Object.values(nodes).flatMap((questions) => questions.map((one) => [one, true]));
  expect([values.said, next]).toEqual([said, []]);
});

it.each([false, true])(
  'shows a graph with an edge that joins nodes as ended once it has; deferred: %s',
  async (defer) => {
    const config = { configurable: { thread_id: randomUUID() } };
    const State = Annotation.Root({
      said: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
    });
    const graph = new StateGraph(State);
    for (const name of ['a', 'b+c']) graph.addNode(name, () => ({ said: [name] })).addEdge(START, name);
    graph.addNode('d+', () => ({ said: ['d'] }), { defer }).addEdge(['a', 'b+c'], 'd+');
    const saver = new WaystationSaver();
    const made = graph.compile({ checkpointer: saver, interruptBefore: ['d+'] });
    await made.invoke({}, config);
    const shown = () => call('GET', `/threads/${encodeURIComponent(`langgraph:${config.configurable.thread_id}`)}`);
    expect([(await made.getState(config)).next, (await shown()).status]).toEqual([['d+'], 'in_progress']);
    await made.invoke(null, config);
    expect([(await made.getState(config)).values.said.at(-1), (await shown()).status]).toEqual(['d', 'completed']);
  },
);

it('asks in one process only what is open', async () => {
  const config = { configurable: { thread_id: randomUUID() } };
  const traceId = `langgraph:${config.configurable.thread_id}`;
  const graph = graphOf({ a: ['a1'], b: ['b1', 'b2'] });
  await graph.invoke({}, config);
  const rounds = [];
  for (let left = 2; left > 0; left -= 1) {
    const [approval] = (await call('GET', `/approvals?trace_id=${traceId}`)).items;
    rounds.push(questionsIn(approval));
    await call('POST', `/approvals/${traceId}/${approval.step}/approve`);
    await resumeWhenDecided(graph, config);
  }
  expect(rounds).toEqual([['a1', 'b1'], ['b2']]);
});

/** Adds a node that asks, and then fails. */
function failingGraph(begun) {
  const State = Annotation.Root({ said: Annotation() });
  const node = () => {
    begun.push(interrupt({ question: 'first' }));
    throw new Error('the bank is away');
  };
  return new StateGraph(State).addNode('a', node).addEdge(START, 'a').compile({ checkpointer: new WaystationSaver() });
}

it('does nothing more where a person has cancelled the run, though all is answered', async () => {
  const config = { configurable: { thread_id: randomUUID() } };
  const traceId = `langgraph:${config.configurable.thread_id}`;
  const begun = [];
  await failingGraph(begun).invoke({}, config);
  const [{ step }] = (await call('GET', `/approvals?trace_id=${traceId}`)).items;
  await call('POST', `/approvals/${traceId}/${step}/approve`);
  await expect(resumeWhenDecided(failingGraph(begun), config)).rejects.toThrow('the bank is away');
  await call('POST', `/threads/${traceId}/runs/${traceId}/cancel`);
  await expect(resumeWhenDecided(failingGraph(begun), config)).rejects.toThrow('cancelled');
  expect(begun).toHaveLength(1);
  await graphOf({ a: ['second'] }).invoke({}, config); // somebody asks for something new
  const [{ tool_calls }] = (await call('GET', `/approvals?trace_id=${traceId}`)).items;
  expect(tool_calls.map(({ args }) => args.question)).toEqual(['second']);
});

it('asks again where a person has retried the run that called it', async () => {
  const threadId = randomUUID();
  const config = { configurable: { thread_id: threadId } };
  const { runners } = new WaystationApi();
  const data = { thread_id: threadId, trace_id: 'caller', agent_id: 'langgraph' };
  // Like an agent process, also for a retry.
  const startCaller = () => runners.report([{ type: 'thread_started', id: randomUUID(), data }]);
  Object.assign(process.env, { WAYSTATION_THREAD_ID: threadId, WAYSTATION_TRACE_ID: 'caller' });
  try {
    await startCaller();
    await graphOf({ a: ['really?'] }).invoke({}, config);
    await call('POST', `/threads/${threadId}/runs/caller/cancel`);
    await expect(resumeWhenDecided(graphOf({ a: ['really?'] }), config)).rejects.toThrow('cancelled');
    await startCaller();
    const resumed = resumeWhenDecided(graphOf({ a: ['really?'] }), config, { signal: AbortSignal.timeout(20_000) });
    const pending = () => call('GET', `/approvals?trace_id=langgraph:${threadId}`);
    await vi.waitUntil(async () => (await pending()).items.length > 0, { timeout: 20_000, interval: 50 });
    const [{ step, tool_calls }] = (await pending()).items;
    expect(tool_calls.map(({ args }) => args.question)).toEqual(['really?']);
    await call('POST', `/approvals/langgraph:${threadId}/${step}/approve`);
    expect((await resumed).said).toEqual([['really?', true]]);
  } finally {
    delete process.env.WAYSTATION_THREAD_ID;
    delete process.env.WAYSTATION_TRACE_ID;
  }
});

it('gives the value of the interrupt with the decision', async () => {
  const config = { configurable: { thread_id: randomUUID() } };
  const traceId = `langgraph:${config.configurable.thread_id}`;
  const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
    .addNode('ask', () => ({ value: interrupt('Really?').value }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new WaystationSaver() });
  await graph.invoke({}, config);
  const [{ step }] = (await call('GET', `/approvals?trace_id=${traceId}`)).items;
  await call('POST', `/approvals/${traceId}/${step}/approve`);
  expect(await resumeWhenDecided(graph, config)).toEqual({ value: 'Really?' });
});

it('takes another decision for each interrupt of a step, with a reason and a value of its own', async () => {
  const config = { configurable: { thread_id: randomUUID() } };
  const traceId = `langgraph:${config.configurable.thread_id}`;
  const State = Annotation.Root({ said: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }) });
  const graph = new StateGraph(State);
  for (const name of ['a', 'b'])
    graph.addNode(name, () => ({ said: [interrupt({ node: name })] })).addEdge(START, name);
  const made = graph.compile({ checkpointer: new WaystationSaver() });
  await made.invoke({}, config);
  const [{ step, tool_calls }] = (await call('GET', `/approvals?trace_id=${traceId}`)).items;
  const placeOf = (name) => tool_calls.findIndex(({ args }) => args.node === name);
  const decisions = [
    { index: placeOf('a'), decision: 'approve', args: { node: 'A' } },
    { index: placeOf('b'), decision: 'reject', reason: 'Not b.' },
  ];
  await call('POST', `/approvals/${traceId}/${step}/approve`, { decisions, decided_by: 'Ada' });
  const { said } = await resumeWhenDecided(made, config);
  expect(said).toEqual([
    { approved: true, reason: null, decidedBy: expect.anything(), value: { node: 'A' } },
    { approved: false, reason: 'Not b.', decidedBy: expect.anything(), value: { node: 'b' } },
  ]);
});
