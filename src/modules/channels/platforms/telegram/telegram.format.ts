import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

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

/** Markdown as Telegram's HTML. 4096 characters become 26,000 bytes at most; the server reads 32,768. */
export function toHtml(markdown: string): string {
  return renderMarkdown(markdown, STYLE);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
