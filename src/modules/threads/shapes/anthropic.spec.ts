import { readMessage } from './message-shapes.js';

const info = (kind: string, message: string) => ({ kind, level: 'info', message });
const call = (fields: object) => ({ kind: 'tool_call', id: undefined, name: undefined, arguments: '', ...fields });
const result = (fields: object) => ({
  kind: 'tool_result',
  callIds: [],
  name: undefined,
  isError: false,
  message: '',
  ...fields,
});
const ofUser = (...content: object[]) => ({ role: 'user', content });
const ofAssistant = (...content: object[]) => ({ role: 'assistant', content });

describe('Anthropic messages', () => {
  it.each([
    [
      'a whole answer',
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'some-model',
        content: [
          { type: 'thinking', thinking: 'The user asks for the weather.', signature: 'EqQB' },
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
      [
        info('thinking', 'The user asks for the weather.'),
        info('assistant', 'I will look.'),
        call({ id: 'toolu_1', name: 'weather', arguments: '{"city":"Köln"}' }),
      ],
    ],
    ['text alone', ofAssistant({ type: 'text', text: 'Done.' }), [info('assistant', 'Done.')]],
    [
      'text cut by citations',
      ofAssistant(
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'text', text: 'The sky is ' },
        { type: 'text', text: 'blue', citations: [] },
      ),
      [info('thinking', '[redacted thinking]'), info('assistant', 'The sky is blue')],
    ],
    [
      'redacted thinking',
      ofAssistant({ type: 'redacted_thinking', data: 'EmwK' }, { type: 'text', text: 'Yes.' }),
      [info('thinking', '[redacted thinking]'), info('assistant', 'Yes.')],
    ],
    [
      'a tool result of text, and what the user says with it',
      ofUser(
        { type: 'tool_result', tool_use_id: 'toolu_1', content: '21 °C' },
        { type: 'text', text: 'Is that warm?' },
      ),
      [result({ callIds: ['toolu_1'], message: '21 °C' }), info('user', 'Is that warm?')],
    ],
    [
      'a tool result of blocks',
      ofUser({
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [
          { type: 'text', text: 'Map:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      }),
      [result({ callIds: ['toolu_1'], message: 'Map:\n[image]' })],
    ],
    [
      'a failed and an empty tool result',
      ofUser(
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no such city', is_error: true },
        { type: 'tool_result', tool_use_id: 'toolu_2' },
      ),
      [result({ callIds: ['toolu_1'], isError: true, message: 'no such city' }), result({ callIds: ['toolu_2'] })],
    ],
    [
      'documents and images',
      ofUser(
        { type: 'document', title: 'terms.pdf', source: { type: 'base64', data: 'JVBERi0=' } },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
        { type: 'text', text: 'Compare.' },
      ),
      [info('user', '[file: terms.pdf]\n[image]\nCompare.')],
    ],
    [
      'a search by the server',
      ofAssistant(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'nest' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', title: 'Nest', url: 'https://nest.test', encrypted_content: 'Eo8K' }],
        },
        { type: 'text', text: 'Found it.' },
      ),
      [
        call({ id: 'srvtoolu_1', name: 'web_search', arguments: '{"query":"nest"}' }),
        result({ callIds: ['srvtoolu_1'], message: 'Nest https://nest.test' }),
        info('assistant', 'Found it.'),
      ],
    ],
    [
      'a failed search by the server',
      ofAssistant({
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
      }),
      [
        result({
          callIds: ['srvtoolu_1'],
          isError: true,
          message: '{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}',
        }),
      ],
    ],
    [
      'calls that are listed twice',
      {
        ...ofAssistant({ type: 'tool_use', id: 'toolu_1', name: 'add', input: {} }),
        tool_calls: [
          { id: 'toolu_1', name: 'add', args: {} },
          { id: 'toolu_2', name: 'sub', args: {} },
        ],
      },
      [call({ id: 'toolu_1', name: 'add', arguments: '{}' }), call({ id: 'toolu_2', name: 'sub', arguments: '{}' })],
    ],
    [
      'thinking that is a list of parts',
      ofAssistant({ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }, { type: 'text', text: 'Yes.' }),
      [info('thinking', 'Hm.'), info('assistant', 'Yes.')],
    ],
    [
      'a block that stands alone',
      { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} },
      [call({ id: 'toolu_1', name: 'add', arguments: '{}' })],
    ],
    [
      'a message in an envelope',
      { type: 'assistant', session_id: 's', message: ofAssistant({ type: 'thinking', thinking: 'Hm.' }) },
      [info('thinking', 'Hm.')],
    ],
  ])('reads %s', (_what, message, drafts) => {
    expect(readMessage(message)).toEqual(drafts);
  });
});
