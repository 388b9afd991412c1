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

describe('OpenAI Responses items', () => {
  it.each([
    [
      'a user message',
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'https://x.test/a.png' },
        ],
      },
      [info('user', 'Look\n[image]')],
    ],
    [
      'an answer',
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'A cat.', annotations: [] }],
      },
      [info('assistant', 'A cat.')],
    ],
    [
      'a refusal',
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      [{ kind: 'assistant', level: 'warn', message: 'No.' }],
    ],
    [
      'a summary of reasoning',
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'First.' },
          { type: 'summary_text', text: 'Then.' },
        ],
      },
      [info('thinking', 'First.\nThen.')],
    ],
    [
      'reasoning in full',
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      [info('thinking', 'Hm.')],
    ],
    [
      'encrypted reasoning',
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAAA==' },
      [info('thinking', '[redacted thinking]')],
    ],
    [
      'a function call',
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Bonn"}',
        status: 'completed',
      },
      [call({ id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' })],
    ],
    [
      'a function call output',
      { type: 'function_call_output', call_id: 'call_1', output: '{"c":21}' },
      [result({ callIds: ['call_1'], message: '{"c":21}' })],
    ],
    [
      'output parts',
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'Plan' },
          { type: 'input_image', image_url: 'data:' },
        ],
      },
      [result({ callIds: ['call_1'], message: 'Plan\n[image]' })],
    ],
    [
      'a custom tool call',
      { type: 'custom_tool_call', call_id: 'call_2', name: 'run_sql', input: 'SELECT 1' },
      [call({ id: 'call_2', name: 'run_sql', arguments: 'SELECT 1' })],
    ],
    [
      'a computer call',
      { type: 'computer_call', call_id: 'call_3', action: { type: 'click', x: 1, y: 2 } },
      [call({ id: 'call_3', name: 'computer', arguments: '{"type":"click","x":1,"y":2}' })],
    ],
    [
      'a screenshot',
      {
        type: 'computer_call_output',
        call_id: 'call_3',
        output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' },
      },
      [result({ callIds: ['call_3'], message: '[image]' })],
    ],
    [
      'a web search',
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'nest 12' } },
      [call({ id: 'ws_1', name: 'web_search', arguments: '{"type":"search","query":"nest 12"}' })],
    ],
    [
      'a file search with its hits',
      { type: 'file_search_call', id: 'fs_1', queries: ['tax'], results: [{ file_id: 'f1', score: 0.5, text: 'VAT' }] },
      [
        call({ id: 'fs_1', name: 'file_search', arguments: '["tax"]' }),
        result({ callIds: ['fs_1'], name: 'file_search', message: '[{"file_id":"f1","score":0.5,"text":"VAT"}]' }),
      ],
    ],
    [
      'code with its output',
      { type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', outputs: [{ type: 'logs', logs: '1\n' }] },
      [
        call({ id: 'ci_1', name: 'code_interpreter', arguments: 'print(1)' }),
        result({ callIds: ['ci_1'], name: 'code_interpreter', message: '1\n' }),
      ],
    ],
    [
      'a failed MCP call',
      {
        type: 'mcp_call',
        id: 'mcp_1',
        name: 'roll',
        server_label: 'dice',
        arguments: '{}',
        output: null,
        error: { type: 'x', message: 'no dice' },
      },
      [
        call({ id: 'mcp_1', name: 'roll', arguments: '{}' }),
        result({ callIds: ['mcp_1'], name: 'roll', isError: true, message: 'no dice' }),
      ],
    ],
    [
      'an image that was made',
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' },
      [
        call({ id: 'ig_1', name: 'image_generation' }),
        result({ callIds: ['ig_1'], name: 'image_generation', message: '[image]' }),
      ],
    ],
    [
      'an item of another type',
      { type: 'item_reference', id: 'msg_1' },
      [info('event', '{"type":"item_reference","id":"msg_1"}')],
    ],
    ['a message without a role', { type: 'message', id: 'm' }, [info('event', '{"type":"message","id":"m"}')]],
  ])('reads %s', (_what, item, drafts) => {
    expect(readMessage(item)).toEqual(drafts);
  });
});
