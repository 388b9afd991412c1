// A session that continues elsewhere: `node resume.mjs SESSION 'What I say'`, repeatedly, on any machine. It calls the store as the SDK
// would: loads a session before resuming it, and appends to it afterwards. A scripted model answers, so no key is needed; in your program
// `query({ prompt, options: { sessionStore: store, resume } })` does all of it.
import { randomUUID } from 'node:crypto';
import { WaystationSessionStore } from '@waystation/claude-sessions';

const [sessionId = 'example', said = 'Hello'] = process.argv.slice(2);
const key = { projectKey: 'example', sessionId };
const store = new WaystationSessionStore();

const entries = (await store.load(key)) ?? [];
const question = entryOf('user', said);
const users = [...entries, question].filter(({ type }) => type === 'user');
const answer = `${users.length} messages; the first was: ${users[0].message.content}`;
await store.append(key, [question, entryOf('assistant', answer)]);
console.log(answer);

function entryOf(role, content) {
  const timestamp = new Date().toISOString();
  return { type: role, uuid: randomUUID(), sessionId, timestamp, message: { role, content } };
}
