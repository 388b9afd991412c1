import { checkpoint, completed, conversation, failed, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, record, recordEach, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

interface Log extends Record<string, unknown> {
  kind: string;
  level: string;
  message: string;
}

async function logsOf(threadId: string): Promise<Log[]> {
  return (await detailOf(server.api, threadId)).logs as Log[];
}

describe('The detail of a thread', () => {
  it('is 404 for an unknown thread', async () => {
    problemOf(await server.api.get(threadPath(newThreadId())), 404);
  });

  it('is the item of the list with the whole history, and the list of its runs', async () => {
    const threadId = newThreadId();
    const child = { trace_id: 'run-1a', parent_trace_id: 'run-1', agent_id: 'researcher', tokens_used: 7 };
    await recordEach(server.api, started(threadId), checkpoint(threadId, 0), started(threadId, child));
    await recordEach(server.api, checkpoint(threadId, 0, child), failed(threadId, { trace_id: 'run-1a' }));
    await recordEach(server.api, checkpoint(threadId, 1), completed(threadId));
    const detail = await detailOf(server.api, threadId);
    const item = (await server.api.get(`/threads?q=${threadId}`)).json<{ items: Record<string, unknown>[] }>().items[0];
    expect(detail).toMatchObject({ ...item, history: conversation(4), history_meta: { length: 4 } });
    const times = { started_at: expect.any(String), updated_at: expect.any(String) };
    expect(detail.run_list).toEqual([
      expect.objectContaining({
        trace_id: 'run-1',
        parent_trace_id: null,
        agent_id: 'support',
        status: 'completed',
        attempts: 1,
        steps: 2,
        error: null,
        ...times,
      }),
      expect.objectContaining({
        trace_id: 'run-1a',
        parent_trace_id: 'run-1',
        agent_id: 'researcher',
        status: 'error',
        attempts: 1,
        steps: 1,
        error: 'the model timed out',
        ...times,
      }),
    ]);
  });

  it('tells the story of all runs in time order, each message once, with the times and tokens that were reported', async () => {
    const threadId = newThreadId();
    const ts = (second: number) => new Date(Date.UTC(2026, 2, 1, 8, 0, second)).toISOString();
    const parent = [
      { role: 'user', content: 'find a flight' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'search', arguments: '{"to":"BER"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'two flights' },
      { role: 'assistant', content: 'There are two.' },
    ];
    const meta = [
      { ts: ts(1) },
      { ts: ts(2), tokens_in: 11, tokens_out: 12 },
      { ts: ts(6) },
      { ts: ts(7), tokens_in: 21, tokens_out: 22 },
    ];
    const childHistory = [{ role: 'user', content: 'search BER' }];
    const child = { trace_id: 'run-1a', agent_id: 'searcher', history: childHistory, history_meta: [{ ts: ts(4) }] };
    const upTo = (length: number) => ({ history: parent.slice(0, length), history_meta: meta.slice(0, length) });
    await recordEach(server.api, checkpoint(threadId, 0, upTo(2)), checkpoint(threadId, 0, child));
    await recordEach(server.api, checkpoint(threadId, 1, upTo(4)));
    expect(await logsOf(threadId)).toEqual([
      expect.objectContaining({ ts: ts(1), level: 'info', kind: 'user', message: 'find a flight', trace_id: 'run-1' }),
      expect.objectContaining({
        ts: ts(2),
        level: 'tool',
        kind: 'tool_call',
        tool_name: 'search',
        tokens_in: 11,
        tokens_out: 12,
      }),
      expect.objectContaining({
        ts: ts(4),
        kind: 'user',
        message: 'search BER',
        trace_id: 'run-1a',
        agent_id: 'searcher',
      }),
      expect.objectContaining({ ts: ts(6), kind: 'tool_result', tool_name: 'search', message: 'two flights' }),
      expect.objectContaining({
        ts: ts(7),
        level: 'info',
        kind: 'assistant',
        message: 'There are two.',
        tokens_out: 22,
      }),
    ]);
  });

  it('shows a message once, also when a history was trimmed and a run tried again', async () => {
    const threadId = newThreadId();
    const whole = conversation(8);
    await recordEach(server.api, checkpoint(threadId, 0, { history: whole.slice(0, 4) }));
    await recordEach(server.api, checkpoint(threadId, 1, { history: whole.slice(2, 6) }), failed(threadId));
    await recordEach(server.api, checkpoint(threadId, 0, { history: whole }));
    const messages = (await logsOf(threadId)).filter((log) => log.kind === 'user' || log.kind === 'assistant');
    expect(messages.map((log) => log.message).sort()).toEqual(whole.map((message) => String(message.content)).sort());
  });

  it.each([
    [
      'OpenAI chat',
      [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
      ['system', 'user'],
    ],
    [
      'OpenAI Responses',
      [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'seen' },
      ],
      ['user', 'tool_call', 'tool_result'],
    ],
    [
      'Anthropic',
      [
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'tool_use', id: 't1', name: 'look', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
      ],
      ['user', 'thinking', 'tool_call', 'tool_result'],
    ],
    [
      'Gemini',
      [
        { role: 'user', parts: [{ text: 'hello' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'seen' } } }] },
      ],
      ['user', 'tool_call', 'tool_result'],
    ],
  ])('understands messages in the form of %s', async (_, history, kinds) => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0, { history }));
    expect((await logsOf(threadId)).map((log) => log.kind)).toEqual(kinds);
  });

  it('makes one entry of a message that nobody understands', async () => {
    const threadId = newThreadId();
    await record(
      server.api,
      checkpoint(threadId, 0, { history: [42, null, 'text', { strange: [1, 2] }, []], history_meta: [] }),
    );
    const logs = await logsOf(threadId);
    expect(logs).toHaveLength(5);
    expect(new Set(logs.map((log) => log.level))).toEqual(new Set(['info']));
  });

  it('shows how a run failed', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0), failed(threadId));
    expect(await logsOf(threadId)).toContainEqual(
      expect.objectContaining({
        level: 'error',
        kind: 'event',
        message: expect.stringContaining('the model timed out'),
      }),
    );
  });
});
