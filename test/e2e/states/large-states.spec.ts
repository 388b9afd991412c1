import { newThreadId } from '../../factories/events.js';
import { ok, threadPath } from '../../support/recording.js';
import { b64, digestOf, putState, putWrites, stateIds, statePath } from '../../support/states.js';
import { useServer } from '../../support/test-server.js';

/** The states stored below would not fit in. */
const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=72' } });
const STEPS = 40;
const READERS = 4;

/** Like LangGraph: each step contains the whole conversation so far, which is long, and all unchanged values. */
async function fill(threadId: string): Promise<number> {
  const prompt = 'p'.repeat(200_000);
  let conversation = '';
  let bytes = 0;
  for (let step = 0; step < STEPS; step += 1) {
    conversation += `${step}`.padEnd(25_000, 'm');
    const messages = { version: step + 1, type: 'bytes', data: b64(conversation) };
    const known = step === 0 ? { data: b64(prompt) } : { digest: digestOf(prompt) };
    const values = { messages, prompt: { version: 1, type: 'bytes', ...known } };
    const id = `c${String(step).padStart(3, '0')}`;
    expect((await putState(server.api, threadId, id, { values })).status).toBe(201);
    const writes = [{ idx: 0, channel: 'messages', type: 'bytes', data: b64(conversation.slice(-25_000)) }];
    expect((await putWrites(server.api, threadId, id, { task_id: 't', writes })).status).toBe(204);
    bytes += conversation.length;
  }
  return bytes;
}

it('States of many megabytes are stored, listed to several readers, exported and deleted in the memory of a small server', async () => {
  const threadId = newThreadId();
  expect(await fill(threadId)).toBeGreaterThan(20_000_000);
  const list = `/v1/runners/state?thread_id=${threadId}&limit=${STEPS}`;
  const answers = await Promise.all(Array.from({ length: READERS }, () => server.api.get(list)));
  for (const answer of answers) {
    // Includes the shared values in each of them.
    expect(ok(answer).text.length).toBeGreaterThan(30_000_000);
    expect(answer.json<{ items: unknown[] }>().items).toHaveLength(STEPS);
  }
  const exported = ok(await server.api.get(`/v1/threads/${threadId}/export`)).text;
  expect(exported.length).toBeLessThan(40_000_000);
  expect((await server.api.delete(statePath(threadId))).status).toBe(204);
  expect(await stateIds(server.api, { thread_id: threadId })).toEqual([]);
  expect([204, 404]).toContain((await server.api.delete(threadPath(threadId))).status);
});
