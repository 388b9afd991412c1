import { lastMessageOf, MAX_SAID } from './last-message.js';

const said = (message: unknown) => lastMessageOf(JSON.stringify(message))!;

describe('What lists show of a message', () => {
  it.each([
    ['a text', { role: 'user', content: 'Where is\n  my order?' }, 'user', 'Where is my order?'],
    ['parts', { role: 'user', content: [{ type: 'text', text: 'one' }, { type: 'image_url' }] }, 'user', 'one [image]'],
    ['a system message', { role: 'developer', content: 'Be brief.' }, 'system', 'Be brief.'],
    [
      'words beside a call',
      {
        role: 'assistant',
        content: 'I look it up.',
        tool_calls: [{ id: '1', function: { name: 'find', arguments: '{}' } }],
      },
      'assistant',
      'I look it up.',
    ],
    [
      'a call alone',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', function: { name: 'find', arguments: '{"id":9007199254740993}' } }],
      },
      'assistant',
      'find({"id":9007199254740993})',
    ],
    ['an answer of a tool', { role: 'tool', tool_call_id: '1', content: 'found' }, 'tool', 'found'],
    [
      'an answer in a block',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'ok' }] }] },
      'tool',
      'ok',
    ],
    ['a thought alone', { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }] }, 'assistant', 'Hm.'],
    ['an answer of Gemini', { role: 'model', parts: [{ text: 'Yes.' }] }, 'assistant', 'Yes.'],
    ['nothing', { role: 'assistant', content: '' }, 'assistant', ''],
    ['an unknown shape', { note: 1 }, 'other', '{"note":1}'],
    ['no object', 7, 'other', '7'],
  ])('is its speaker and its words: %s', (_name, message, role, text) => {
    expect(said(message)).toEqual({ role, text });
  });

  it('is cut between whole code points', () => {
    const { text } = said({ role: 'user', content: `a${'😀'.repeat(200)}` });
    expect(text.length).toBeLessThanOrEqual(MAX_SAID);
    expect(text).toMatch(/^a(😀)+…$/u);
    expect(said({ role: 'user', content: 'x'.repeat(MAX_SAID) }).text).toBe('x'.repeat(MAX_SAID));
  });

  it('is read of large messages too, wherever their long strings are cut', () => {
    for (const unit of ['x', '"', '\\', '\u0001', 'é', '😀', 'a\\"\u0002']) {
      for (let shift = 0; shift < 8; shift++) {
        const content = `${'-'.repeat(shift)}${unit.repeat(3000)}`;
        const { role, text } = said({ other: content, content, role: 'tool' });
        expect(role).toBe('tool');
        expect(content.startsWith(text.slice(0, -1).trimEnd())).toBe(true);
      }
    }
  });

  it('is the beginning of what is too large to read, or is no JSON', () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => i);
    expect(said({ role: 'tool', content: rows })).toMatchObject({
      role: 'other',
      text: expect.stringMatching(/^\{"role":"tool","content":\[0,1/) as string,
    });
    expect(lastMessageOf('{"role":')?.role).toBe('other');
    expect(lastMessageOf(`"${'x'.repeat(3_000_000)}"`)?.text).toHaveLength(MAX_SAID);
  });
});
