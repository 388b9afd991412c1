// Appends entries to a session: `node adder.mjs SESSION NAME COUNT SIZE`, in calls of SIZE entries each.
import { WaystationSessionStore } from '@waystation/claude-sessions';

const [sessionId, name, count, size] = process.argv.slice(2);
const store = new WaystationSessionStore();
for (let n = 0; n < Number(count); n += Number(size)) {
  const entries = Array.from({ length: Number(size) }, (_, index) => {
    const said = `${name} ${n + index}`;
    return { type: 'user', uuid: said, content: said };
  });
  await store.append({ projectKey: 'race', sessionId }, entries);
}
