import { FENCE, renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** Characters of the text of a section block. */
const MAX_SECTION = 3_000;

/** Longer rows of backticks are not repeated: that would leave no room. */
const MAX_MARKER = 8;

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
  const [head, rest] = [markdown.slice(0, at), markdown.slice(at)];
  // Code that is open at the end of one section goes on in the next: outside of it its characters would mean something.
  const fence = openFenceOf(head);
  const halves = fence === null ? [head, rest] : [`${head.replace(/\n$/, '')}\n${fence}`, `${fence}\n${rest}`];
  return halves.flatMap(toSections).filter((part) => part.trim() !== '');
}

function openFenceOf(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const { marker, language = '' } = FENCE.exec(line)?.groups ?? {};
    if (marker === undefined || marker.length > MAX_MARKER) continue;
    if (open === null) open = marker;
    else if (language === '' && marker.startsWith(open)) open = null;
  }
  return open;
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
