// Copies of checkpoints, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN.
import { randomUUID } from 'node:crypto';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { expect, it } from 'vitest';
import { WaystationSaver } from '../dist/esm/index.js';

it('a copy of any checkpoint has all values of its original', async () => {
  const State = Annotation.Root({
    order: Annotation(),
    notes: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('look', () => ({ notes: ['found'] }))
    .addNode('refund', () => ({ notes: ['refunded'] }))
    .addEdge(START, 'look')
    .addEdge('look', 'refund')
    .compile({ checkpointer: new WaystationSaver() });
  const config = { configurable: { thread_id: randomUUID() } };
  await graph.invoke({ order: 4711 }, config);
  const originals = [];
  for await (const one of graph.getStateHistory(config)) originals.push(one);
  expect(originals[0].values).toEqual({ order: 4711, notes: ['found', 'refunded'] });
  for (const original of originals) {
    const copy = await graph.getState(await graph.updateState(original.config, null, '__copy__'));
    expect(copy.config).not.toEqual(original.config);
    expect({ values: copy.values, next: copy.next }).toEqual({ values: original.values, next: original.next });
  }
});
