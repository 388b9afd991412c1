import { parseExact } from '../../../src/common/exact-number.js';
import { readMessages, type Message } from './messages.js';

const outline = (messages: Message[]) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.map((part) => {
      if (part.kind === 'call') return `${part.call.name}(${part.call.args}) = ${part.call.result?.text ?? '…'}`;
      if (part.kind === 'result') return `${part.kind}: ${part.result.text}`;
      if (part.kind === 'pictures') return part.pictures.map(({ target }) => `picture: ${target}`).join();
      return part.kind === 'json' ? part.kind : `${part.kind}: ${part.text}`;
    }),
  ]);

describe('messages', () => {
  it.each<[string, unknown[], unknown[]]>([
    [
      'OpenAI chat, parallel calls, results out of order',
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Refund 1 and 2.' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Two calls.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'refund', arguments: '{"order":9007199254740993}' } },
            { id: 'b', type: 'function', function: { name: 'refund', arguments: '{"order": 2}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'b', content: 'second' },
        { role: 'tool', tool_call_id: 'a', content: 'first' },
        { role: 'assistant', content: 'Done.' },
      ],
      [
        ['system', 'text: Be kind.'],
        ['user', 'text: Refund 1 and 2.'],
        [
          'assistant',
          'thinking: Two calls.',
          'refund({"order":9007199254740993}) = first',
          'refund({"order": 2}) = second',
        ],
        ['tool'],
        ['tool'],
        ['assistant', 'text: Done.'],
      ],
    ],
    [
      'OpenAI responses',
      [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'seen' },
      ],
      [['user', 'text: Hi'], ['assistant', 'thinking: Hm.'], ['assistant', 'look({}) = seen'], ['tool']],
    ],
    [
      'blocks of Anthropic, with a failure',
      [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look.' },
            { type: 'text', text: 'A moment.' },
            { type: 'tool_use', id: 't', name: 'look', input: { at: 'map' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', is_error: true, content: 'no map' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      [
        ['assistant', 'thinking: Look.', 'text: A moment.', 'look({"at":"map"}) = no map'],
        ['user', 'text: And?'],
      ],
    ],
    [
      'Gemini, whose calls have no ids',
      [
        {
          role: 'model',
          parts: [{ functionCall: { name: 'a', args: {} } }, { functionCall: { name: 'b', args: {} } }],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'b', response: { output: 'of b' } } },
            { functionResponse: { name: 'a', response: { output: 'of a' } } },
          ],
        },
      ],
      [['assistant', 'a({}) = of a', 'b({}) = of b'], ['tool']],
    ],
    [
      'Vercel AI',
      [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'v', toolName: 'go', input: { to: 1 } }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'v', toolName: 'go', output: { type: 'text', value: 'gone' } }],
        },
      ],
      [['assistant', 'go({"to":1}) = gone'], ['tool']],
    ],
    [
      'a result nobody asked for, a second one, and a call nobody answered',
      [
        { role: 'tool', tool_call_id: 'x', content: 'lost' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'y', function: { name: 'go', arguments: '' } },
            { id: 'z', function: { name: 'stay' } },
          ],
        },
        { role: 'tool', tool_call_id: 'y', content: 'once' },
        { role: 'tool', tool_call_id: 'y', content: 'twice' },
      ],
      [['tool', 'result: lost'], ['assistant', 'go() = once', 'stay() = …'], ['tool'], ['tool', 'result: twice']],
    ],
    [
      'ids that every message counts from 0',
      [
        { role: 'assistant', tool_calls: [{ id: '0', function: { name: 'a', arguments: '' } }] },
        { role: 'tool', tool_call_id: '0', content: '1' },
        { role: 'assistant', tool_calls: [{ id: '0', function: { name: 'b', arguments: '' } }] },
        { role: 'tool', tool_call_id: '0', content: '2' },
      ],
      [['assistant', 'a() = 1'], ['tool'], ['assistant', 'b() = 2'], ['tool']],
    ],
    [
      'pictures and files, by name only',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'file', file: { filename: 'bill.pdf' } },
          ],
        },
      ],
      [['user', 'text: See\n[image]\n[file: bill.pdf]', 'picture: https://example.com/a.png']],
    ],
    [
      'anything else',
      ['plain text', 7, null, { odd: true }, [], { role: 'narrator', content: 'x' }],
      [
        ['other', 'text: plain text'],
        ['other', 'json'],
        ['other', 'json'],
        ['other', 'json'],
        ['other', 'json'],
        ['other', 'json'],
      ],
    ],
  ])('of %s', (_what, history, expected) => {
    expect(outline(readMessages(history))).toEqual(expected);
  });

  it('names who speaks, where several do', () => {
    const [one, tool] = readMessages([
      { role: 'assistant', name: 'researcher', content: 'Found it.' },
      { role: 'tool', name: 'look', content: 'x' },
    ]);
    expect([one!.name, tool!.name]).toEqual(['researcher', undefined]);
  });

  it('keeps numbers in their digits', () => {
    const text =
      '[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"pay","input":{"eur":149.00,"order":9007199254740993}}]}]';
    const [message] = readMessages(parseExact(text, { keepsSpelling: true }) as unknown[]);
    expect(outline([message!])).toEqual([['assistant', 'pay({"eur":149.00,"order":9007199254740993}) = …']]);
  });
});
