// An agent with one tool that a person must approve. Its model is scripted, so it only needs the server.
//   node example/refund-agent.mjs order-4711
// End it at any moment, even with kill -9, and start it again: it continues where it was.
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { WaystationSaver, resumeWhenDecided } from '@waystation/langgraph';

/** A model's answer. */
function model(messages) {
  const last = messages.at(-1);
  if (last instanceof ToolMessage) return new AIMessage(`Done: ${last.content}`);
  const call = { id: 'call_1', name: 'issue_refund', args: { order: 4711, amount: 25 } };
  return new AIMessage({ content: '', tool_calls: [call] });
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', ({ messages }) => ({ messages: [model(messages)] }))
  .addNode('refund', ({ messages }) => {
    const [call] = messages.at(-1).tool_calls;
    const decision = interrupt({ tool: call.name, args: call.args });
    const content = decision.approved ? `refunded ${call.args.amount}` : `refused: ${decision.reason ?? 'no reason'}`;
    return { messages: [new ToolMessage({ content, tool_call_id: call.id })] };
  })
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'refund' : END))
  .addEdge('refund', 'model')
  .compile({ checkpointer: new WaystationSaver() });

const config = { configurable: { thread_id: process.argv[2] ?? 'order-4711' } };
const { values, next } = await graph.getState(config);
if (next.length === 0 && !values.messages)
  await graph.invoke({ messages: [new HumanMessage('Refund order 4711')] }, config);
else if (next.length > 0 && !(await isWaiting())) await graph.invoke(null, config);
while (await isWaiting()) {
  console.log('waiting for a person');
  await resumeWhenDecided(graph, config);
}
console.log((await graph.getState(config)).values.messages.at(-1).content);

async function isWaiting() {
  const { tasks } = await graph.getState(config);
  return tasks.some(({ interrupts }) => interrupts.length > 0);
}
