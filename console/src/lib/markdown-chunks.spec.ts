import { markdownChunks } from './markdown-chunks.js';

describe('Markdown of strangers', () => {
  it('stays in one piece while it is short', () => {
    expect(markdownChunks('# Hello\n\n- a\n- b')).toEqual([{ text: '# Hello\n\n- a\n- b', isTame: true }]);
    expect(markdownChunks('')).toEqual([]);
  });

  it('is cut between paragraphs, and loses nothing', () => {
    const text = 'A paragraph of some words.\n\n'.repeat(2_000);
    const chunks = markdownChunks(text);
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.every(({ text: piece, isTame }) => isTame && piece.endsWith('\n\n'))).toBe(true);
    expect(chunks.map(({ text: piece }) => piece).join('')).toBe(text);
  });

  it('opens a fence again that it cuts', () => {
    const chunks = markdownChunks(`\`\`\`python\n${'value = [1, 2, *others]\n'.repeat(1_000)}\`\`\`\nDone.`);
    expect(chunks.every(({ text }) => text.startsWith('```python\n'))).toBe(true);
    expect(chunks.every(({ isTame }) => isTame)).toBe(true);
  });
});
