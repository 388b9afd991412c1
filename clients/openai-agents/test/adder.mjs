// Adds items to a session: `node adder.mjs SESSION NAME COUNT SIZE`, in calls of SIZE items each.
import { WaystationSession } from '@waystation/openai-agents';

const [sessionId, name, count, size] = process.argv.slice(2);
const session = new WaystationSession({ sessionId });
for (let n = 0; n < Number(count); n += Number(size)) {
  const items = Array.from({ length: Number(size) }, (_, index) => ({ role: 'user', content: `${name} ${n + index}` }));
  await session.addItems(items);
}
