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
const ofUser = (...parts: unknown[]) => ({ role: 'user', parts });
const ofModel = (...parts: unknown[]) => ({ role: 'model', parts });

describe('Gemini contents', () => {
  it.each([
    [
      'a question',
      ofUser({ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
      [info('user', 'What is this?\n[image]')],
    ],
    ['an answer in pieces', ofModel({ text: 'A ' }, { text: 'cat.' }), [info('assistant', 'A cat.')]],
    [
      'a thought',
      ofModel({ text: 'Fur.', thought: true }, { text: 'A cat.' }),
      [info('thinking', 'Fur.'), info('assistant', 'A cat.')],
    ],
    [
      'a function call',
      ofModel({ functionCall: { name: 'weather', args: { city: 'Rom' } }, thoughtSignature: 'CiQB' }),
      [call({ name: 'weather', arguments: '{"city":"Rom"}' })],
    ],
    [
      'a function call in snake case with empty fields',
      ofModel({ text: null, inline_data: null, function_call: { id: 'fc1', name: 'weather', args: {} } }),
      [call({ id: 'fc1', name: 'weather', arguments: '{}' })],
    ],
    [
      'a function response',
      ofUser({ functionResponse: { name: 'weather', response: { celsius: 30 } } }),
      [result({ name: 'weather', message: '{"celsius":30}' })],
    ],
    [
      'a wrapped text',
      { role: 'function', parts: [{ functionResponse: { id: 'fc1', name: 'weather', response: { output: 'warm' } } }] },
      [result({ callIds: ['fc1'], name: 'weather', message: 'warm' })],
    ],
    [
      'a failed function',
      ofUser({ function_response: { name: 'weather', response: { error: 'no such city' } } }),
      [result({ name: 'weather', isError: true, message: 'no such city' })],
    ],
    [
      'code and its result',
      ofModel(
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'SyntaxError' } },
      ),
      [
        call({ name: 'code_execution', arguments: 'print(1)' }),
        result({ name: 'code_execution', isError: true, message: 'SyntaxError' }),
      ],
    ],
    [
      'files by address',
      ofUser({ fileData: { mimeType: 'video/mp4', fileUri: 'gs://b/a.mp4' } }, { file_data: { file_uri: 'gs://b/c' } }),
      [info('user', '[video]\n[file]')],
    ],
    ['a system instruction', { role: 'system', parts: [{ text: 'Be brief.' }] }, [info('system', 'Be brief.')]],
    ['a content without a role', { parts: [{ text: 'Hello' }] }, [info('user', 'Hello')]],
    [
      'a candidate',
      { content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' },
      [info('assistant', 'Hi')],
    ],
    ['no parts at all', ofModel(), [info('assistant', '')]],
    ['an unknown part', ofUser({ poll: 1 }), [info('user', '{"poll":1}')]],
    ['parts of something else', { parts: [{ wheel: 1 }] }, [info('event', '{"parts":[{"wheel":1}]}')]],
  ])('reads %s', (_what, content, drafts) => {
    expect(readMessage(content)).toEqual(drafts);
  });
});
