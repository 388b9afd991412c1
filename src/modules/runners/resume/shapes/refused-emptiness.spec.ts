import type { JsonObject } from '../../../../../test/support/pairing/faults.js';
import { ModelHistory } from '../model-history.js';

function repaired(history: readonly (JsonObject | string)[]) {
  const texts = history.map((one) => Buffer.from(typeof one === 'string' ? one : JSON.stringify(one)));
  const { messages, repairs } = new ModelHistory(texts).repaired({ claims: [], effects: [], asked: [] });
  return {
    messages: messages.map((message) => JSON.parse(message.toString()) as JsonObject),
    texts: messages.map(String),
    repairs: repairs.map(({ index, kind }) => [index, kind]),
  };
}

const user = (content: unknown = 'Pay') => ({ role: 'user', content });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });

describe('What OpenAI’s chat refuses for being empty', () => {
  const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'pay', arguments: '{}' } }];
  const paid = { role: 'tool', tool_call_id: 'c1', content: 'ok' };

  it('is a list of calls; every other byte stays', () => {
    const said = '{ "role":"assistant", "tool_calls" : [ ], "content":"hello", "n": 12345678901234567890 }';
    const { texts, repairs } = repaired([user(), said, user(), assistant(null, { tool_calls }), paid]);
    expect(texts[1]).toBe('{ "role":"assistant", "content":"hello", "n": 12345678901234567890}');
    expect(repairs).toEqual([[1, 'removed_empty']]);
  });

  it.each([
    ['reasoning alone', { role: 'assistant', content: null, reasoning_content: 'hmm' }],
    ['nothing', { role: 'assistant' }],
    ['an empty text', assistant('')],
    ['empty parts', assistant([{ type: 'text', text: ' ' }])],
    ['no parts, and no calls', assistant([], { tool_calls: [] })],
  ])('is a message of the model with %s', (_, message) => {
    const { messages, repairs } = repaired([user(), message, user(), assistant(null, { tool_calls }), paid]);
    expect(messages).toEqual([user(), user(), assistant(null, { tool_calls }), paid]);
    expect(repairs).toEqual([[1, 'removed_message']]);
  });

  it.each([
    ['a refusal', assistant(null, { refusal: 'No.' })],
    ['a spoken answer', assistant(null, { audio: { id: 'audio_1' } })],
    ['a call of the old kind', assistant(null, { function_call: { name: 'pay', arguments: '{}' } })],
    ['members that are null', assistant('Hi', { tool_calls: null, refusal: null, audio: null, function_call: null })],
  ])('is not %s', (_, message) => {
    const history = [user(), message, user(), assistant(null, { tool_calls }), paid];
    expect(repaired(history)).toMatchObject({ messages: history, repairs: [] });
  });

  it('is a list of parts beside a call', () => {
    const { messages, repairs } = repaired([user(), assistant([], { tool_calls }), paid]);
    expect(messages[1]).toEqual(assistant(null, { tool_calls }));
    expect(repairs).toEqual([[1, 'removed_empty']]);
  });
});

describe('What Anthropic refuses for being empty', () => {
  const call = { type: 'tool_use', id: 't1', name: 'pay', input: {} };
  const result = { type: 'tool_result', tool_use_id: 't1', content: '' };
  const text = (words: string) => ({ type: 'text', text: words });
  const signed = { type: 'thinking', thinking: '', signature: 'EqQBCkgIBBABGAIi' };

  it.each(['', ' ', '\n\t', '\u00a0'])('is a text of %j, before a call and behind it', (words) => {
    const history = [user(), assistant([text(words), call, text(words)]), user([text(words), result])];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([user(), assistant([call]), user([result])]);
    expect(repairs).toEqual([
      [1, 'removed_empty'],
      [1, 'removed_empty'],
      [2, 'removed_empty'],
    ]);
  });

  it.each([
    ['an unsigned thought', { type: 'thinking', thinking: 'Let me', signature: '' }],
    ['a thought without the member', { type: 'thinking', thinking: 'Let me' }],
    ['an empty thought', { type: 'thinking', thinking: '' }],
  ])('is %s, and with it the message that has nothing else', (_, thought) => {
    const history = [user(), assistant([call]), user([result])];
    expect(repaired([...history, assistant([thought])])).toMatchObject({
      messages: history,
      repairs: [
        [3, 'removed_reasoning'],
        [3, 'removed_message'],
      ],
    });
    const { messages } = repaired([user(), assistant([thought, call]), user([result])]);
    expect(messages).toEqual(history);
  });

  it('is no thought with its signature, wherever it stands', () => {
    const hidden = { type: 'redacted_thinking', data: 'EmwKAhgB' };
    const history = [user(), assistant([signed, hidden, call]), user([result]), assistant([signed])];
    expect(repaired(history)).toMatchObject({ messages: history, repairs: [] });
  });

  it('is a message of the user, too; another stands for it between two of the model', () => {
    const history = [user(), assistant([call]), user([result]), assistant('A'), user(' '), assistant('B'), user([])];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([...history.slice(0, 4), user([text(expect.any(String) as string)]), assistant('B')]);
    expect(repairs).toEqual([
      [4, 'inserted_message'],
      [6, 'removed_message'],
    ]);
  });

  it('is the same in a conversation without tools', () => {
    const { messages } = repaired([user(), assistant(''), user([text(''), text('b')]), assistant([text('ok')])]);
    expect(messages).toEqual([user(), user([text('b')]), assistant([text('ok')])]);
  });

  it('does not part a call from its result', () => {
    const history = [user(), assistant([call]), assistant([text('')]), user([result])];
    expect(repaired(history)).toMatchObject({
      messages: [user(), assistant([call]), user([result])],
      repairs: [
        [2, 'removed_empty'],
        [2, 'removed_message'],
      ],
    });
  });
});

describe('What Gemini refuses', () => {
  const call = { functionCall: { name: 'pay', args: {} } };
  const response = { functionResponse: { name: 'pay', response: { output: 'ok' } } };
  const asked = { role: 'user', parts: [{ text: 'Pay' }] };
  const model = (...parts: object[]) => ({ role: 'model', parts });
  const answered = { role: 'user', parts: [response] };

  it('is a history that opens with a call: the user speaks before it', () => {
    const history = [model(call), answered, model({ text: 'done' })];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([{ role: 'user', parts: [{ text: expect.any(String) }] }, ...history]);
    expect(repairs).toEqual([[0, 'inserted_message']]);
  });

  it('is one that opens with a response', () => {
    const { messages, repairs } = repaired([answered, model({ text: 'done' }), asked]);
    expect(messages).toEqual([{ role: 'user', parts: [{ text: expect.any(String) }] }, model({ text: 'done' }), asked]);
    expect(repairs).toEqual([
      [0, 'removed_result'],
      [0, 'inserted_message'],
    ]);
  });

  it('is an empty text, but not one with the signature of a thought', () => {
    const signature = { text: '', thoughtSignature: 'EqQB' };
    const { messages, repairs } = repaired([
      asked,
      model({ text: '' }, call, signature, {}),
      answered,
      model({ text: '' }),
    ]);
    expect(messages).toEqual([asked, model(call, signature), answered]);
    expect(repairs.map(([index]) => index)).toEqual([1, 1, 3, 3]);
  });

  it('is not what its Python library writes as null', () => {
    const none = { function_call: null, function_response: null, thought: null, inline_data: null };
    const history = [asked, { role: 'model', parts: [{ text: 'Hi', ...none }] }];
    expect(repaired(history)).toMatchObject({ messages: history, repairs: [] });
  });
});

describe('What Bedrock refuses for being empty', () => {
  it('is a text of white space, and a message that has no other', () => {
    const pay = { role: 'user', content: [{ text: 'Pay' }] };
    const call = { toolUse: { toolUseId: 't1', name: 'pay', input: {} } };
    const result = { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: '' }] } }] };
    const history = [pay, assistant([{ text: ' ' }, call]), result, assistant([{ text: '' }])];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([pay, assistant([call]), result]);
    expect(repairs).toEqual([
      [1, 'removed_empty'],
      [3, 'removed_empty'],
      [3, 'removed_message'],
    ]);
  });
});
