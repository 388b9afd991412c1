import { ThreadTurnsService, type Turn } from '../../../src/modules/threads/turns/thread-turns.service.js';
import { Database } from '../../../src/database/database.js';
import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { record, threadPath } from '../../support/recording.js';

type Message = Record<string, unknown>;

let server: InProcessApp;
let turns: ThreadTurnsService;

beforeAll(async () => {
  server = await startApp();
  turns = server.app.get(ThreadTurnsService, { strict: false });
});
afterAll(() => server.stop());

/** A turn that begins now, so that everything in the thread is older. */
async function turnFrom(threadId: string, traceId = 'run-1'): Promise<Turn> {
  const [row] = await server.app
    .get(Database, { strict: false })
    .read<{ last_seq: number; next_message: number }>('SELECT last_seq, next_message FROM thread WHERE id = $1', [
      threadId,
    ]);
  const { last_seq: sinceSeq = 0, next_message: sinceMessage = 0 } = row ?? {};
  return { threadId, traceId, agentId: null, sinceSeq: Number(sinceSeq), sinceMessage: Number(sinceMessage) };
}

const chat = (role: string, content: string): Message => ({ role, content });

/** Reports a whole run whose only step has this history. */
async function run(threadId: string, history: Message[], ids: Record<string, unknown> = {}): Promise<void> {
  await record(server.api, started(threadId, ids), checkpoint(threadId, 0, { history, ...ids }));
  await record(server.api, completed(threadId, ids));
}

const SHAPES: [string, Message[]][] = [
  [
    'OpenAI chat',
    [
      chat('user', 'Where is it?'),
      { role: 'assistant', content: null, tool_calls: [call('c1')] },
      { role: 'tool', tool_call_id: 'c1', content: 'on its way' },
      { role: 'assistant', content: [{ type: 'text', text: 'On its way.' }] },
    ],
  ],
  [
    'OpenAI Responses',
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where is it?' }] },
      { type: 'function_call', call_id: 'c1', name: 'track', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'on its way' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'So it is on its way.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'On its way.' }] },
    ],
  ],
  [
    'Anthropic',
    [
      chat('user', 'Where is it?'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'track', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'on its way' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'So it is on its way.', signature: 's' },
          { type: 'text', text: 'On its way.' },
        ],
      },
    ],
  ],
  [
    'Gemini',
    [
      { role: 'user', parts: [{ text: 'Where is it?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'track', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'track', response: { result: 'on its way' } } }] },
      { role: 'model', parts: [{ text: 'So it is on its way.', thought: true }, { text: 'On its way.' }] },
    ],
  ],
];

function call(id: string): Message {
  return { id, type: 'function', function: { name: 'track', arguments: '{}' } };
}

describe('What was said last in a turn', () => {
  it.each(SHAPES)('is read out of messages as %s has them, without thinking and tools', async (_shape, history) => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    await run(threadId, history);
    expect(await turns.findLastSaid(turn, 'Where is it?')).toBe('On its way.');
  });

  it.each(SHAPES)('is nothing where the agent, as %s, only called a tool', async (_shape, history) => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    await run(threadId, history.slice(0, 3));
    expect(await turns.findLastSaid(turn, 'Where is it?')).toBeNull();
  });

  it('stands before the tools that were called after it', async () => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    const tools = Array.from({ length: 40 }, (_, i) => [
      { role: 'assistant', content: null, tool_calls: [call(`c${i}`)] },
      { role: 'tool', tool_call_id: `c${i}`, content: 'noted' },
    ]).flat();
    await run(threadId, [chat('user', 'Note it.'), chat('assistant', 'I will note it.'), ...tools]);
    expect(await turns.findLastSaid(turn, 'Note it.')).toBe('I will note it.');
  });

  it('is not what earlier turns of the thread said, whether or not they had the same run', async () => {
    const threadId = newThreadId();
    const before = [chat('user', 'one'), chat('assistant', 'first answer')];
    await run(threadId, before);
    for (const traceId of ['run-1', 'run-2']) {
      const turn = await turnFrom(threadId, traceId);
      expect(await turns.findLastSaid(turn, 'two')).toBeNull();
      await run(threadId, [...before, chat('user', `two of ${traceId}`)], { trace_id: traceId });
      expect(await turns.findLastSaid(turn, `two of ${traceId}`)).toBeNull();
    }
  });

  it('is this turn’s answer also where it is the same again', async () => {
    const threadId = newThreadId();
    const before = [chat('user', 'ping'), chat('assistant', 'pong')];
    await run(threadId, before);
    const turn = await turnFrom(threadId, 'run-2');
    await run(threadId, [...before, ...before], { trace_id: 'run-2' });
    expect(await turns.findLastSaid(turn, 'ping')).toBe('pong');
  });

  it('is what the agent itself said, not its sub-agent', async () => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher' };
    const [asked, delegated] = [chat('user', 'Look it up.'), chat('assistant', 'I ask the researcher.')];
    await record(server.api, started(threadId), checkpoint(threadId, 0, { history: [asked, delegated] }));
    const inner = await turnFrom(threadId, 'run-1a');
    await run(threadId, [chat('user', 'Search.'), chat('assistant', 'I found 42.')], child);
    expect(await turns.findLastSaid(turn, 'Look it up.')).toBe('I ask the researcher.');
    expect(await turns.findLastSaid(inner, 'Search.')).toBe('I found 42.');
    const history = [asked, delegated, chat('assistant', 'It is 42.')];
    await record(server.api, checkpoint(threadId, 1, { history }), completed(threadId));
    expect(await turns.findLastSaid(turn, 'Look it up.')).toBe('It is 42.');
    expect(await turns.findLastSaid(inner, 'Search.')).toBe('I found 42.');
  });

  it('is null of a run that nobody has reported, and of a thread that was deleted', async () => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    expect(await turns.findLastSaid(turn, 'hello')).toBeNull();
    await run(threadId, [chat('user', 'hello'), chat('assistant', 'hi')]);
    await server.api.delete(threadPath(threadId));
    expect(await turns.findLastSaid(turn, 'hello')).toBeNull();
    expect(await turns.findState(turn)).toBeNull();
  });
});

describe('How a turn stands', () => {
  it('is at work, waiting for a person, and ended, by the run that it began', async () => {
    const threadId = newThreadId();
    const turn = await turnFrom(threadId);
    expect(await turns.findState(turn)).toBeNull();
    await record(server.api, started(threadId));
    expect(await turns.findState(turn)).toMatchObject({ ending: null, isWaiting: false });
    const waiting = { status: 'waiting_for_approval', pending_tool_calls: [{ function: 'pay', args: {} }] };
    await record(server.api, checkpoint(threadId, 0, waiting));
    expect(await turns.findState(turn)).toMatchObject({ ending: null, isWaiting: true });
    await record(server.api, failed(threadId));
    expect(await turns.findState(turn)).toMatchObject({ ending: 'error', isWaiting: false });
  });

  it('is not ended by what ended the turn before it in the same run', async () => {
    const threadId = newThreadId();
    await run(threadId, [chat('user', 'one'), chat('assistant', 'first')]);
    const turn = await turnFrom(threadId);
    expect(await turns.findState(turn)).toMatchObject({ ending: null });
    const history = [chat('user', 'one'), chat('assistant', 'first'), chat('user', 'two'), chat('assistant', 'second')];
    await record(server.api, started(threadId), checkpoint(threadId, 1, { history, turn_start_history_len: 2 }));
    expect(await turns.findState(turn)).toMatchObject({ ending: null });
    await record(server.api, completed(threadId, { tokens_used: 2000 }));
    expect(await turns.findState(turn)).toMatchObject({ ending: 'completed' });
    expect(await turns.findLastSaid(turn, 'two')).toBe('second');
  });
});
