// How people see a graph, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN.
import { randomUUID } from 'node:crypto';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const { WAYSTATION_API_URL, WAYSTATION_TOKEN } = process.env;

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${WAYSTATION_TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(WAYSTATION_API_URL + path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const SAID = {
  content: 'Hi',
  usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  response_metadata: { model_name: 'some-model' },
};

/** The model reports its usage; a node may ask. */
function graphOf(asks, answers) {
  return new StateGraph(MessagesAnnotation)
    .addNode('work', () => ({ messages: [new AIMessage({ ...SAID })] }))
    .addNode('review', () => {
      if (asks !== undefined) answers.push(interrupt(asks));
      return {};
    })
    .addEdge(START, 'work')
    .addEdge('work', 'review')
    .addEdge('review', END)
    .compile({ checkpointer: new WaystationSaver() });
}

function begun() {
  const thread_id = randomUUID();
  return { config: { configurable: { thread_id } }, threadId: `langgraph:${thread_id}` };
}

const INPUT = { messages: [{ role: 'user', content: 'Hello' }] };

it('has its model and the tokens of the turn in the list, and is completed when it has ended', async () => {
  const { config, threadId } = begun();
  for (let turn = 0; turn < 2; turn += 1) {
    await graphOf().invoke(INPUT, config);
    const { status, model, tokens_used } = await call('GET', `/threads/${encodeURIComponent(threadId)}`);
    expect([status, model, tokens_used]).toEqual(['completed', 'some-model', 15]);
  }
});

it.each([
  [{ action: 'refund', amount: 5 }, 'refund'],
  [{ amount: 5 }, 'review'],
  ['Which size?', 'review'],
])('shows the interrupt %j by its action, else by its node: %s', async (asks, name) => {
  const { config, threadId } = begun();
  await graphOf(asks, []).invoke(INPUT, config);
  const [approval] = (await call('GET', `/approvals?trace_id=${threadId}`)).items;
  expect(approval.tool_calls).toMatchObject([{ name, args: asks }]);
  const { status, tokens_used } = await call('GET', `/threads/${encodeURIComponent(threadId)}`);
  expect([status, tokens_used]).toEqual(['waiting_for_approval', 15]);
});

it('gets the text that a person puts in the place of a question', async () => {
  const { config, threadId } = begun();
  const answers = [];
  await graphOf('Which size?', answers).invoke(INPUT, config);
  const [{ step }] = (await call('GET', `/approvals?trace_id=${threadId}`)).items;
  const decisions = [{ index: 0, decision: 'approve', args: 'Large' }];
  await call('POST', `/approvals/${threadId}/${step}/approve`, { decisions });
  await resumeWhenDecided(graphOf('Which size?', answers), config);
  expect(answers).toEqual(['Large']);
});
