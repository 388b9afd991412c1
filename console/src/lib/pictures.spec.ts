import { picturesIn } from './pictures.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = `data:image/png;base64,${PIXEL}`;
const FAR = 'https://spy.example/p.png?who=ada';
const outline = (message: unknown) =>
  picturesIn(message).map(({ src, target, callIds }) => [src ?? target, ...callIds]);

describe('pictures', () => {
  it.each<[string, unknown, unknown]>([
    ['OpenAI chat', { content: [{ type: 'image_url', image_url: { url: PNG } }] }, [[PNG]]],
    ['OpenAI responses', { content: [{ type: 'input_image', image_url: PNG }] }, [[PNG]]],
    ['a generated one', { type: 'image_generation_call', result: PIXEL }, [[PNG]]],
    [
      'Anthropic, in the result of a call',
      {
        content: [
          { type: 'text', text: 'see' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }],
          },
          { type: 'image', source: { type: 'url', url: FAR } },
        ],
      },
      [[PNG, 'toolu_1'], [FAR]],
    ],
    ['Gemini', { parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] }, [[PNG]]],
    ['the AI SDK', { content: [{ type: 'file', mediaType: 'image/png', data: PIXEL }] }, [[PNG]]],
    [
      'MCP',
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] },
      [[PNG, 'a']],
    ],
    [
      'a document that looks like one',
      { content: [{ type: 'image_url', image_url: 'data:image/svg+xml,<svg/>' }] },
      [['image/svg+xml, 1 kB']],
    ],
    ['a page', { content: [{ type: 'image_url', image_url: 'data:text/html,<script>' }] }, [['text/html, 1 kB']]],
    ['a script', { content: [{ type: 'image', image: 'javascript:alert(1)' }] }, [['javascript:alert(1)']]],
    ['another file', { content: [{ type: 'file', mediaType: 'application/pdf', data: PIXEL }] }, []],
    ['none', { content: 'a text' }, []],
  ])('are found: %s', (_, message, expected) => {
    expect(outline(message)).toEqual(expected);
  });

  it('are not looked for without end', () => {
    let deep: unknown = { type: 'image_url', image_url: PNG };
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    expect(outline(deep)).toEqual([]);
    expect(outline(Array.from({ length: 100_000 }, () => ({ type: 'image_url', image_url: PNG })))).toHaveLength(40);
  });
});
