// LangChain agents with the human-in-the-loop middleware, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN.
import { randomUUID } from 'node:crypto';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const { WAYSTATION_API_URL, WAYSTATION_TOKEN } = process.env;

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${WAYSTATION_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(WAYSTATION_API_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const found = await answer.json();
  return answer.ok ? found : { refused: answer.status, ...found };
}

/** An agent whose model calls tools, and then repeats their results. */
class Agent {
  config = { configurable: { thread_id: randomUUID() } };
  traceId = `langgraph:${this.config.configurable.thread_id}`;
  /** Calls made by the tools. */
  made = [];

  constructor(calls, { interruptOn, checkpointer = new WaystationSaver() } = {}) {
    this.calls = calls;
    this.interruptOn = interruptOn ?? { refund: true, mail: true };
    this.checkpointer = checkpointer;
  }

  /** Built as in another process. */
  graph() {
    const toolOf = (name) =>
      tool((args) => (this.made.push([name, args]), `${name} done`), {
        name,
        description: name,
        schema: z.object({}).loose(),
      });
    const said = (messages) => {
      const last = messages.at(-1);
      if (last.getType() !== 'human') return new AIMessage(`Heard: ${last.content}`);
      return new AIMessage({ content: '', tool_calls: this.calls });
    };
    const model = fakeModel().respond(said).respond(said);
    return createAgent({
      model,
      tools: ['refund', 'mail', 'look'].map(toolOf),
      middleware: [humanInTheLoopMiddleware({ interruptOn: this.interruptOn })],
      checkpointer: this.checkpointer,
    });
  }

  async begin() {
    await this.graph().invoke({ messages: [new HumanMessage('Refund order 4711')] }, this.config);
    return this;
  }

  async asked() {
    const { items } = await call('GET', `/approvals?trace_id=${this.traceId}`);
    expect(items).toHaveLength(1);
    return items[0];
  }

  async decide(verb, body) {
    const { step } = await this.asked();
    return call('POST', `/approvals/${this.traceId}/${step}/${verb}`, body);
  }

  resume(options) {
    return resumeWhenDecided(this.graph(), this.config, { signal: AbortSignal.timeout(20_000), ...options });
  }
}

const REFUND = { name: 'refund', args: { order: 4711, amount: 25 }, id: 'call_1' };
const MAIL = { name: 'mail', args: { to: 'ada@example.org' }, id: 'call_2' };
const LOOK = { name: 'look', args: {}, id: 'call_0' };

function answersIn({ messages }) {
  return messages.filter((one) => one.getType() === 'tool').map((one) => [one.tool_call_id, one.content]);
}

it('shows the call that waits with its own name, arguments and id, and makes it once it is approved', async () => {
  const agent = await new Agent([LOOK, REFUND]).begin();
  const { tool_calls, approval_features } = await agent.asked();
  expect(tool_calls).toMatchObject([REFUND]);
  expect([...approval_features].sort()).toEqual(['edit_args', 'per_call']);
  await agent.decide('approve');
  const { messages } = await agent.resume();
  expect(agent.made).toEqual(expect.arrayContaining([['refund', REFUND.args]]));
  expect(messages.at(-1).content).toMatch(/^Heard: /);
});

it('makes a call with the arguments that a person has changed', async () => {
  const agent = await new Agent([REFUND]).begin();
  await agent.decide('approve', { decisions: [{ index: 0, decision: 'approve', args: { order: 4711, amount: 20 } }] });
  await agent.resume();
  expect(agent.made).toEqual([['refund', { order: 4711, amount: 20 }]]);
});

it('makes no call that was rejected, and tells the model why', async () => {
  const agent = await new Agent([REFUND]).begin();
  await agent.decide('reject', { reason: 'Ask her first.' });
  // The middleware must get its own answer, not the graph's.
  const { messages } = await agent.resume({ toResume: ({ approved }) => approved });
  expect([agent.made, messages.at(-1).content]).toEqual([[], 'Heard: Ask her first.']);
});

it('takes one decision for several calls, because LangChain would lose the approved ones of a mixed one', async () => {
  const agent = await new Agent([REFUND, MAIL]).begin();
  const { tool_calls, approval_features } = await agent.asked();
  expect([tool_calls.map(({ id }) => id), approval_features]).toEqual([['call_1', 'call_2'], ['edit_args']]);
  const mixed = { decisions: [{ index: 1, decision: 'reject' }] };
  expect(await agent.decide('approve', mixed)).toMatchObject({ refused: 409 });
  const decisions = [{ index: 1, decision: 'approve', args: { to: 'bob@example.org' } }];
  await agent.decide('approve', { decisions });
  expect(answersIn(await agent.resume())).toEqual([
    ['call_1', 'refund done'],
    ['call_2', 'mail done'],
  ]);
  expect(agent.made).toEqual([
    ['refund', REFUND.args],
    ['mail', { to: 'bob@example.org' }],
  ]);
});

it('tells equal calls of one message apart', async () => {
  const agent = await new Agent([REFUND, { ...REFUND, id: 'call_9' }]).begin();
  expect((await agent.asked()).tool_calls.map(({ id }) => id)).toEqual(['call_1', 'call_9']);
  await agent.decide('approve');
  expect(answersIn(await agent.resume()).map(([id]) => id)).toEqual(['call_1', 'call_9']);
});

it('offers no changes where the agent takes none', async () => {
  const interruptOn = { refund: { allowedDecisions: ['approve', 'reject'] } };
  const agent = await new Agent([REFUND], { interruptOn }).begin();
  expect((await agent.asked()).approval_features).toEqual(['per_call']);
});

it('asks about an agent within a graph, whose messages the graph around it does not have', async () => {
  const agent = new Agent([REFUND], { checkpointer: true });
  const inner = agent.graph.bind(agent);
  agent.graph = () => {
    const node = async (_, config) => ({
      messages: [(await inner().invoke({ messages: 'Go' }, config)).messages.at(-1)],
    });
    const graph = new StateGraph(MessagesAnnotation).addNode('agent', node).addEdge(START, 'agent');
    return graph.compile({ checkpointer: new WaystationSaver() });
  };
  await agent.begin();
  const [{ id, name, args }] = (await agent.asked()).tool_calls;
  expect([id, name, args]).toEqual([expect.stringMatching(/^[0-9a-f]{32}:0$/), 'refund', REFUND.args]);
  await agent.decide('reject', { reason: 'No.' });
  expect([(await agent.resume()).messages.at(-1).content, agent.made]).toEqual(['Heard: No.', []]);
});
