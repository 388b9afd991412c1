// A session that goes on elsewhere: `node resume.mjs SESSION 'What I say'`, as often as you like, on any machine. The SDK would call the store as this
// program does: before it resumes a session it loads it, and while the session goes on it appends. A scripted model answers, so that the example
// needs no key; in a program of yours `query({ prompt, options: { sessionStore: store, resume } })` does all of it.
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
