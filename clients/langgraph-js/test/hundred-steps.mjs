// A graph of many steps, with a checkpointer: `node hundred-steps.mjs waystation` or `sqlite FILE`. It prints milliseconds.
import { randomUUID } from 'node:crypto';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const STEPS = 100;
const [kind, place] = process.argv.slice(2);

async function saver() {
  if (kind === 'waystation') {
    const { WaystationSaver } = await import('../dist/esm/index.js');
    return new WaystationSaver();
  }
  const [{ SqliteSaver }, { default: Database }] = await Promise.all([
    import('@langchain/langgraph-checkpoint-sqlite'),
    import('better-sqlite3'),
  ]);
  const database = new Database(place);
  database.pragma('journal_mode = WAL');
  const made = new SqliteSaver(database);
  // As durable as Waystation.
  database.pragma('synchronous = FULL');
  return made;
}

const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const graph = new StateGraph(State)
  .addNode('work', ({ messages }) => ({ messages: [{ role: 'assistant', content: `Step ${messages.length}` }] }))
  .addEdge(START, 'work')
  .addConditionalEdges('work', ({ messages }) => (messages.length > STEPS ? END : 'work'))
  .compile({ checkpointer: await saver() });

const run = async (threadId) => {
  const begin = performance.now();
  const config = { configurable: { thread_id: threadId }, recursionLimit: STEPS + 10 };
  await graph.invoke({ messages: [{ role: 'user', content: 'Begin' }] }, config);
  return performance.now() - begin;
};
const times = [];
// The first runs are slow with any checkpointer.
for (let time = 0; time < 5; time += 1) times.push(await run(randomUUID()));
console.log(JSON.stringify(times.map(Math.round)));
