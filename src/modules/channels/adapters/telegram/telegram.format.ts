import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** Beyond this many bytes the server refuses a text before it looks at its tags. */
const MAX_HTML_BYTES = 32_768;

/** HTML as Telegram's parse mode takes it (core.telegram.org/bots/api#html-style). */
const STYLE: MarkdownStyle = {
  text: escape,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (raw) => `<code>${escape(raw)}</code>`,
  link: (label, url) => (label.trim() === '' ? escape(url) : `<a href="${escape(url)}">${label}</a>`),
  heading: (inner) => `<b>${inner}</b>`,
  quote: (inner) => `<blockquote>${inner}</blockquote>`,
  codeBlock: (raw, language) =>
    language === ''
      ? `<pre>${escape(raw)}</pre>`
      : `<pre><code class="language-${escape(language)}">${escape(raw)}</code></pre>`,
};

/** Markdown as Telegram's HTML; null where that would be more than the server reads. */
export function toHtml(markdown: string): string | null {
  const html = renderMarkdown(markdown, STYLE);
  return Buffer.byteLength(html) > MAX_HTML_BYTES ? null : html;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
