import { decodeEntities, linkOf } from './markdown-links.js';

describe('links of strangers', () => {
  it.each([
    ['https://example.com/a', 'a page', 'https://example.com/a', 'example.com/a'],
    ['https://example.com/', 'example.com', 'https://example.com/', null],
    ['https://example.com', 'https://example.com', 'https://example.com/', null],
    ['https://evil.example', 'https://bank.example', 'https://evil.example/', 'evil.example'],
    ['mailto:ann@example.com', 'ann@example.com', 'mailto:ann@example.com', null],
    ['https://bücher.example/x', 'books', 'https://xn--bcher-kva.example/x', 'xn--bcher-kva.example/x'],
    ['https://a.example/?b=1&amp;c=2', 'x', 'https://a.example/?b=1&c=2', 'a.example/?b=1&c=2'],
  ])('%s as %s leads to %s', (address, text, href, target) => {
    expect(linkOf(address, text)).toEqual({ href, target });
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '/approvals',
    '//evil.example/x',
    '#code=1',
    'https://bank.example@evil.example/',
    '',
  ])('%j is no link', (address) => {
    expect(linkOf(address, 'click')).toMatchObject({ href: null });
  });

  it('decodes the entities that texts have', () => {
    expect(decodeEntities('a &amp; b &lt;c&gt; &#8364; &#x20AC; &unknown; &#0; &#x110000; &')).toBe(
      'a & b <c> € € &unknown; \ufffd \ufffd &',
    );
  });
});
