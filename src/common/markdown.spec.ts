import { renderMarkdown, type MarkdownStyle } from './markdown.js';

const STYLE: MarkdownStyle = {
  text: (raw) => raw,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (raw) => `<c>${raw}</c>`,
  link: (label, url) => `<a ${url}>${label}</a>`,
  heading: (inner) => `<h>${inner}</h>`,
  quote: (inner) => `<q>${inner}</q>`,
  codeBlock: (raw, language) => `<pre ${language}>${raw}</pre>`,
};

describe('Markdown', () => {
  it.each([
    ['**bold** and __bold__', '<b>bold</b> and <b>bold</b>'],
    ['*thin* and _thin_', '<i>thin</i> and <i>thin</i>'],
    ['***both***', '<b><i>both</i></b>'],
    ['**bold with *thin* inside**', '<b>bold with <i>thin</i> inside</b>'],
    ['~~gone~~', '<s>gone</s>'],
    ['`a*b*c` and ``a`b``', '<c>a*b*c</c> and <c>a`b</c>'],
    ['[a **b**](https://x.org/a_(b)_c)', '<a https://x.org/a_(b)_c>a <b>b</b></a>'],
    ['![cat](https://x.org/cat.png)', '<a https://x.org/cat.png>cat</a>'],
    ['# Title #', '<h>Title</h>'],
    ['### **Title**', '<h>Title</h>'],
    ['- one\n  * two\n+ three', '• one\n  • two\n• three'],
    ['> one\n> **two**\nthree', '<q>one\n<b>two</b></q>\nthree'],
    ['```js\nlet *a*;\n```\nend', '<pre js>let *a*;</pre>\nend'],
    ['~~~\n```\n~~~', '<pre >```</pre>'],
    ['```\nnever closed', '<pre >never closed</pre>'],
    ['\\*not thin\\*', '*not thin*'],
  ])('%j is understood', (source, expected) => {
    expect(renderMarkdown(source, STYLE)).toBe(expected);
  });

  it.each([
    'snake_case_name and a__b__c',
    '2 * 3 * 4 ** 5',
    'a*b*c',
    '[label](javascript:alert(1))',
    '[label] (https://x.org)',
    '**not closed',
    '#hashtag',
    '---',
    'a -> b',
    '** spaced **',
    '``',
    '~~~ :)\n~~~~😀',
    'end:\n```js',
  ])('%j is left as it stands', (source) => {
    expect(renderMarkdown(source, STYLE)).toBe(source);
  });
});
