// Two nodes of one step, each with a question. Without `both`, the second node never asks, and the process must be killed.
//   node test/parallel-nodes.mjs THREAD [both]
import { setTimeout as sleep } from 'node:timers/promises';
import { Annotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const [thread_id, both] = process.argv.slice(2);
const config = { configurable: { thread_id } };
const State = Annotation.Root({ decided: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }) });
const graph = new StateGraph(State)
  .addNode('first', () => ask('first'))
  .addNode('second', async () => {
    if (!both) await sleep(2 ** 31 - 1);
    return ask('second');
  })
  .addEdge(START, 'first')
  .addEdge(START, 'second')
  .compile({ checkpointer: new WaystationSaver() });

if (!both) await graph.invoke({}, config);
while ((await graph.getState(config)).next.length > 0) await resumeWhenDecided(graph, config);
console.log(JSON.stringify((await graph.getState(config)).values.decided));

function ask(node) {
  const { approved } = interrupt({ node });
  return { decided: [`${node}: ${approved}`] };
}
