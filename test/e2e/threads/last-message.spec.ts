import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { EventStream } from '../../support/event-stream.js';
import { detailOf, listOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

async function lastMessageOf(threadId: string): Promise<unknown> {
  const { items } = await listOf(server.api, { q: threadId });
  return items[0]?.last_message;
}

describe('The last message of a thread', () => {
  it('is that of its latest checkpoint, in the list and in the detail', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    expect(await lastMessageOf(threadId)).toBeNull();
    await record(server.api, checkpoint(threadId, 0, { history: [user('Where is it?')] }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'user', text: 'Where is it?' });
    const history = [user('Where is it?'), assistant('In\nthe \u0000 warehouse.')];
    await record(server.api, checkpoint(threadId, 1, { history }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'assistant', text: 'In the \u0000 warehouse.' });
    expect(await detailOf(server.api, threadId)).toMatchObject({ last_message: { role: 'assistant' } });
  });

  it('is the last that was said, not a line of a session without a message, also when the server has forgotten it', async () => {
    const [threadId, silent] = [newThreadId(), newThreadId()];
    const line = (type: string, more = {}) => ({ type, sessionId: 's', uuid: `${type}-1`, ...more });
    const [asked, answer] = [
      line('user', { message: user('Refund it.') }),
      line('assistant', { message: assistant('Done.') }),
    ];
    const titles = ['custom-title', 'permission-mode', 'last-prompt'].map((type) => line(type));
    const history = [line('mode'), asked, ...titles.slice(0, 1)];
    await record(server.api, checkpoint(threadId, 0, { history }), checkpoint(silent, 0, { history: titles }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'user', text: 'Refund it.' });
    expect(await lastMessageOf(silent)).toBeNull();
    await record(server.api, checkpoint(threadId, 1, { history: [...history, answer, ...titles] }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'assistant', text: 'Done.' });
    await server.restart();
    await record(server.api, checkpoint(threadId, 2, { history: [...history, answer, ...titles, line('tag')] }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'assistant', text: 'Done.' });
    await server.restart();
    await record(server.api, checkpoint(threadId, 3, { history: [], history_meta: [{ ts: 'x' }] }));
    expect(await lastMessageOf(threadId)).toEqual({ role: 'assistant', text: 'Done.' });
    const { logs } = await detailOf(server.api, threadId);
    const said = (logs as { kind: string; message: string }[]).map(({ kind, message }) => `${kind}: ${message}`);
    expect(said.filter((text) => !text.startsWith('event: '))).toEqual(['user: Refund it.', 'assistant: Done.']);
    expect(said.join()).not.toContain('sessionId');
  });

  it('stays while a report has no history, and comes from the earlier run of the agent after a new start', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { history: [user('Pay it.')] }));
    await record(server.api, checkpoint(threadId, 1, { history: [], history_meta: [{ ts: 'x' }, { ts: 'y' }] }));
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'Pay it.' });
    await record(server.api, started(threadId, { trace_id: 'run-2' }));
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'Pay it.' });
  });

  it('stays where a step that said something is reported again without a history, also when the server has forgotten it', async () => {
    const [threadId, only, begun] = [newThreadId(), newThreadId(), newThreadId()];
    const said = [user('Pay it.'), assistant('Shall I?')];
    const calls = { history: [], history_meta: [{ ts: 'x' }, { ts: 'y' }] };
    await record(
      server.api,
      checkpoint(threadId, 0, { history: said.slice(0, 1) }),
      checkpoint(threadId, 1, { history: said }),
      checkpoint(only, 0, { history: said }),
      checkpoint(begun, 0, { history: said }),
    );
    for (const tokens of [1, 2, 3]) {
      const again = { ...calls, tokens_used: tokens };
      await record(
        server.api,
        checkpoint(threadId, 1, again),
        checkpoint(only, 0, again),
        checkpoint(begun, 0, { ...again, trace_id: 'run-2' }),
      );
      for (const id of [threadId, only, begun]) expect(await lastMessageOf(id)).toMatchObject({ text: 'Shall I?' });
      await server.restart();
    }
    await record(
      server.api,
      checkpoint(threadId, 2, { history: [...said, user('Do.')] }),
      checkpoint(threadId, 3, calls),
    );
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'Do.' });
  });

  it('is that of the run at the top while a sub-run works, also when the server has forgotten both', async () => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };
    await record(server.api, checkpoint(threadId, 0, { history: [assistant('I ask the researcher.')] }));
    await record(server.api, checkpoint(threadId, 0, { ...child, history: [assistant('I read.')] }));
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'I ask the researcher.' });
    await server.restart();
    await record(server.api, checkpoint(threadId, 1, { ...child, history: [assistant('I read.'), user('more')] }));
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'I ask the researcher.' });
    const history = [assistant('I ask the researcher.'), assistant('Found.')];
    await record(server.api, checkpoint(threadId, 1, { history }));
    expect(await lastMessageOf(threadId)).toMatchObject({ text: 'Found.' });
  });

  it('is told by the stream of all threads', async () => {
    const threadId = newThreadId();
    const stream = await EventStream.open(server.api, `/v1/threads/stream?q=${encodeURIComponent(threadId)}`);
    await stream.until('its beginning', ({ lastId }) => lastId !== null);
    await record(server.api, checkpoint(threadId, 0, { history: [assistant('Hello.')] }));
    await stream.until('the thread', (seen) => seen.ofType('thread').length > 0);
    stream.close();
    const [event] = stream.ofType('thread');
    expect(JSON.parse(event!.data)).toMatchObject({
      thread_id: threadId,
      last_message: { role: 'assistant', text: 'Hello.' },
    });
  });
});
