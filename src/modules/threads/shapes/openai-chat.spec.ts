import { parseJson } from './json-text.js';
import { readMessage } from './message-shapes.js';

const info = (kind: string, message: string) => ({ kind, level: 'info', message });

describe('OpenAI chat messages', () => {
  it.each([
    ['system', { role: 'system', content: 'You are helpful.' }, [info('system', 'You are helpful.')]],
    ['developer', { role: 'developer', content: 'Answer in JSON.' }, [info('system', 'Answer in JSON.')]],
    ['user', { role: 'user', name: 'ada', content: 'Hello' }, [info('user', 'Hello')]],
    ['assistant', { role: 'assistant', content: 'Hi!', refusal: null, annotations: [] }, [info('assistant', 'Hi!')]],
    ['empty assistant', { role: 'assistant', content: '' }, [info('assistant', '')]],
    ['content of null', { role: 'assistant', content: null }, [info('assistant', '')]],
    [
      'user parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'file', file: { filename: 'invoice.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'text', text: 'And why?' },
        ],
      },
      [info('user', 'What is this?\n[image]\n[audio]\n[file: invoice.pdf]\nAnd why?')],
    ],
    [
      'a refusal',
      { role: 'assistant', content: null, refusal: "I can't help with that." },
      [{ kind: 'assistant', level: 'warn', message: "I can't help with that." }],
    ],
    [
      'a refusal among parts',
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Sorry.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      [info('assistant', 'Sorry.'), { kind: 'assistant', level: 'warn', message: 'No.' }],
    ],
    [
      'spoken audio',
      { role: 'assistant', content: null, audio: { id: 'audio_1', data: 'UklGRg==', transcript: 'Good morning.' } },
      [info('assistant', 'Good morning.')],
    ],
    [
      'reasoning beside the answer',
      { role: 'assistant', reasoning_content: 'They want 2 + 2.', content: '4' },
      [info('thinking', 'They want 2 + 2.'), info('assistant', '4')],
    ],
    [
      'a part of an unknown type',
      { role: 'user', content: [{ type: 'poll', n: 1 }] },
      [info('user', '{"type":"poll","n":1}')],
    ],
    ['content that is an object', { role: 'user', content: { a: 1 } }, [info('user', '{"a":1}')]],
    ['a message of LangChain', { type: 'human', content: 'Hello' }, [info('user', 'Hello')]],
    [
      'a choice of a completion',
      { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' },
      [info('assistant', 'Hi')],
    ],
  ])('reads %s', (_what, message, drafts) => {
    expect(readMessage(message)).toEqual(drafts);
  });

  it('reads text and tool calls, the arguments as the model wrote them', () => {
    const message = {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'find_order', arguments: '{"order": 12345678901234567890}' },
        },
        { id: 'call_2', type: 'custom', custom: { name: 'run_sql', input: 'SELECT 1' } },
      ],
    };
    expect(readMessage(message)).toEqual([
      info('assistant', 'Let me look.'),
      { kind: 'tool_call', id: 'call_1', name: 'find_order', arguments: '{"order": 12345678901234567890}' },
      { kind: 'tool_call', id: 'call_2', name: 'run_sql', arguments: 'SELECT 1' },
    ]);
  });

  it.each([
    [
      'a deprecated function call',
      { function_call: { name: 'add', arguments: '{"a":1}' } },
      { name: 'add', arguments: '{"a":1}' },
    ],
    [
      'arguments that are an object',
      { tool_calls: [{ function: { name: 'add', arguments: { a: 1 } } }] },
      { name: 'add', arguments: '{"a":1}' },
    ],
    ['a bare name', { tool_calls: [{ function: 'add', args: { a: 1 } }] }, { name: 'add', arguments: '{"a":1}' }],
    [
      'a call of LangChain',
      { tool_calls: [{ id: 'c1', name: 'add', args: {} }] },
      { id: 'c1', name: 'add', arguments: '{}' },
    ],
    [
      'a call without arguments',
      { tool_calls: [{ id: 7, function: { name: 'now' } }] },
      { id: '7', name: 'now', arguments: '' },
    ],
    ['calls that are no list', { tool_calls: { id: 'c1', name: 'add' } }, { id: 'c1', name: 'add', arguments: '' }],
    ['a call that is no object', { tool_calls: ['add'] }, { arguments: 'add' }],
  ])('reads %s', (_what, fields, call) => {
    const drafts = readMessage({ role: 'assistant', content: null, ...fields });
    expect(drafts).toEqual([{ id: undefined, name: undefined, kind: 'tool_call', ...call }]);
  });

  it.each([
    ['a tool result', { role: 'tool', tool_call_id: 'c1', content: '42' }, { callIds: ['c1'], message: '42' }],
    [
      'its name',
      { role: 'tool', tool_call_id: 'c1', name: 'add', content: '42' },
      { callIds: ['c1'], name: 'add', message: '42' },
    ],
    [
      'a list of call ids',
      { role: 'tool', tool_call_ids: ['c1', 'c2'], content: 'ok' },
      { callIds: ['c1', 'c2'], message: 'ok' },
    ],
    ['a deprecated function result', { role: 'function', name: 'add', content: '3' }, { name: 'add', message: '3' }],
    [
      'parts',
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'a' }, { type: 'image_url' }] },
      { callIds: ['c1'], message: 'a\n[image]' },
    ],
    [
      'a list that is data',
      { role: 'tool', tool_call_id: 'c1', content: ['a', { b: 1 }] },
      { callIds: ['c1'], message: '["a",{"b":1}]' },
    ],
    ['nothing', { role: 'tool', tool_call_id: 'c1', content: null }, { callIds: ['c1'], message: '' }],
    [
      'a failure',
      { role: 'tool', tool_call_id: 'c1', content: 'boom', status: 'error' },
      { callIds: ['c1'], message: 'boom', isError: true },
    ],
    [
      'a flagged failure',
      { role: 'tool', tool_call_id: 'c1', content: 'boom', is_error: true },
      { callIds: ['c1'], message: 'boom', isError: true },
    ],
  ])('reads %s of a tool', (_what, message, result) => {
    expect(readMessage(message)).toEqual([
      { kind: 'tool_result', callIds: [], name: undefined, isError: false, ...result },
    ]);
  });

  it('keeps the digits of big integers in arguments that are an object', () => {
    const text =
      '{"role":"assistant","content":null,"tool_calls":[{"name":"pay","args":{"account":12345678901234567890}}]}';
    expect(readMessage(parseJson(text))).toMatchObject([{ arguments: '{"account":12345678901234567890}' }]);
  });
});
