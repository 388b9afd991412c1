import { readMessage } from './message-shapes.js';

describe('messages of the Vercel AI SDK', () => {
  const call = { kind: 'tool_call', id: 'c1', name: 'weather', arguments: '{"city":"Lyon"}' };
  const result = { kind: 'tool_result', callIds: ['c1'], name: 'weather', isError: false };

  it('reads calls and results of model messages, old and new', () => {
    const newer = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Lyon' } };
    const older = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', args: { city: 'Lyon' } };
    for (const part of [newer, older]) {
      const drafts = readMessage({ role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, part] });
      expect(drafts).toEqual([{ kind: 'assistant', level: 'info', message: 'Let me look.' }, call]);
    }
    const part = { type: 'tool-result', toolCallId: 'c1', toolName: 'weather' };
    const answers = [{ output: { type: 'json', value: { c: 9 } } }, { result: { c: 9 } }, { output: { c: 9 } }];
    for (const answer of answers) {
      expect(readMessage({ role: 'tool', content: [{ ...part, ...answer }] })).toEqual([
        { ...result, message: '{"c":9}' },
      ]);
    }
    const failed = { ...part, output: { type: 'error-text', value: 'no such city' } };
    expect(readMessage({ role: 'tool', content: [failed] })).toEqual([
      { ...result, isError: true, message: 'no such city' },
    ]);
  });

  it('reads messages of the user interface, where a call and its result are one part', () => {
    const invocation = {
      state: 'result',
      toolCallId: 'c1',
      toolName: 'weather',
      args: { city: 'Lyon' },
      result: 'cold',
    };
    const older = { type: 'tool-invocation', toolInvocation: invocation };
    const newer = {
      type: 'tool-weather',
      toolCallId: 'c1',
      state: 'output-available',
      input: { city: 'Lyon' },
      output: 'cold',
    };
    for (const part of [older, newer]) {
      const parts = [{ type: 'step-start' }, { type: 'reasoning', text: 'Hm.' }, part, { type: 'text', text: 'Cold.' }];
      expect(readMessage({ id: 'm1', role: 'assistant', parts })).toEqual([
        { kind: 'thinking', level: 'info', message: 'Hm.' },
        call,
        { ...result, message: 'cold' },
        { kind: 'assistant', level: 'info', message: 'Cold.' },
      ]);
    }
  });

  it('reads calls that wait, calls that failed, files and sources', () => {
    const waiting = {
      type: 'dynamic-tool',
      toolName: 'weather',
      toolCallId: 'c1',
      state: 'input-available',
      input: {},
    };
    const failed = { type: 'tool-weather', toolCallId: 'c1', state: 'output-error', input: {}, errorText: 'down' };
    const file = {
      type: 'file',
      mediaType: 'application/pdf',
      filename: 'bill.pdf',
      url: 'data:application/pdf;base64,AA',
    };
    const image = { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' };
    const source = { type: 'source-url', sourceId: 's', url: 'https://example.com', title: 'Example' };
    expect(readMessage({ role: 'assistant', parts: [waiting, failed] })).toEqual([
      { ...call, arguments: '{}' },
      { ...call, arguments: '{}' },
      { ...result, isError: true, message: 'down' },
    ]);
    expect(readMessage({ role: 'user', parts: [file, image, source] })).toEqual([
      { kind: 'user', level: 'info', message: '[file: bill.pdf]\n[image]\nExample https://example.com' },
    ]);
    expect(readMessage({ role: 'user', content: [image, file] })).toEqual([
      { kind: 'user', level: 'info', message: '[image]\n[file: bill.pdf]' },
    ]);
  });

  it('leaves contents of Gemini and plain messages to others', () => {
    expect(readMessage({ role: 'model', parts: [{ text: 'Hello', thought: true }] })).toEqual([
      { kind: 'thinking', level: 'info', message: 'Hello' },
    ]);
    expect(readMessage({ role: 'assistant', parts: [{ type: 'step-start' }] })).toEqual([
      { kind: 'assistant', level: 'info', message: '' },
    ]);
  });
});
