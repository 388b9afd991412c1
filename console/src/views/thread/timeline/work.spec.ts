import { workOf } from './work.js';

const META = { ts: '2026-11-20T10:00:00.250Z' };

describe('A message', () => {
  it.each<[string, unknown, string | null]>([
    ['a person wrote', { role: 'user', content: 'Hi' }, 'person'],
    ['a person wrote to LangChain', { type: 'human', content: 'Hi' }, 'person'],
    ['a model wrote', { role: 'assistant', content: 'Hello', tool_calls: [] }, 'model'],
    ['a model wrote to Gemini', { role: 'model', parts: [{ text: 'Hello' }] }, 'model'],
    ['calls a tool of OpenAI', { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] }, 'call'],
    ['calls a tool of Anthropic', { role: 'assistant', content: [{ type: 'tool_use', id: 'c1' }] }, 'call'],
    ['calls a tool of Gemini', { role: 'model', parts: [{ functionCall: { name: 'f' } }] }, 'call'],
    ['calls a tool of the Responses API', { type: 'function_call', name: 'f' }, 'call'],
    ['is the result of a tool of OpenAI', { role: 'tool', content: 'sunny' }, 'tool'],
    ['is the result of a tool of Anthropic', { role: 'user', content: [{ type: 'tool_result' }] }, 'tool'],
    ['is the result of a tool of Gemini', { role: 'user', parts: [{ functionResponse: {} }] }, 'tool'],
    ['instructs', { role: 'system', content: 'Be brief.' }, null],
    ['is of no known shape', ['x'], null],
  ])('that %s tells what was done', (_, message, kind) => {
    expect(workOf(message, META)?.kind ?? null).toBe(kind);
  });

  it.each<[string, unknown, string]>([
    [
      'OpenAI',
      { role: 'assistant', tool_calls: ['find', 'find', 'pay'].map((name) => ({ function: { name } })) },
      'find, pay',
    ],
    ['Anthropic', { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use', name: 'find' }] }, 'find'],
    ['Gemini', { role: 'model', parts: [{ functionCall: { name: 'find' } }] }, 'find'],
    ['the Responses API', { type: 'function_call', name: 'find' }, 'find'],
    ['a program that gives no name', { role: 'assistant', tool_calls: [{ id: 'c1' }] }, ''],
  ])('of %s names the tools that it calls', (_, message, tools) => {
    expect(workOf(message, META)).toMatchObject({ kind: 'call', tools });
  });

  it('without a time tells nothing', () => {
    const message = { role: 'user', content: 'Hi' };
    expect([undefined, null, {}, { ts: 'now' }].map((meta) => workOf(message, meta))).toEqual([null, null, null, null]);
    expect(workOf(message, META)?.at).toBe(Date.parse(META.ts));
  });
});
