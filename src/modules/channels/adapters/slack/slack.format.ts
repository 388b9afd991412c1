import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** Characters of the text of a section block. */
const MAX_SECTION = 3_000;

/** Slack's mrkdwn (docs.slack.dev/messaging/formatting-message-text). */
const STYLE: MarkdownStyle = {
  text: escape,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  code: (raw) => `\`${escape(raw)}\``,
  link: (label, url) => {
    const address = escape(url).replaceAll('|', '%7C');
    return label.trim() === '' ? `<${address}>` : `<${address}|${label.replaceAll('|', '/')}>`;
  },
  heading: (inner) => `*${inner}*`,
  quote: (inner) => inner.replaceAll(/^/gm, '> '),
  codeBlock: (raw) => `\`\`\`\n${escape(raw)}\n\`\`\``,
};

export function toMrkdwn(markdown: string): string {
  return renderMarkdown(markdown, STYLE);
}

/** The text in as many sections as its escapes ask for: an ampersand becomes five characters. */
export function toSections(markdown: string): string[] {
  const written = toMrkdwn(markdown);
  if (written.length <= MAX_SECTION) return [written];
  const at = middleOf(markdown);
  return [...toSections(markdown.slice(0, at)), ...toSections(markdown.slice(at))].filter((part) => part.trim() !== '');
}

/** A place near the middle: a line's end if there is one in the second quarter, never within a surrogate pair. */
function middleOf(text: string): number {
  const half = Math.floor(text.length / 2);
  const line = text.lastIndexOf('\n', half) + 1;
  const at = line > half / 2 ? line : half;
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
