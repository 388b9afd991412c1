import { renderMarkdown, type MarkdownStyle } from '../../../../common/markdown.js';

/** The marks of WhatsApp's own editor. None takes more room than Markdown's. */
const STYLE: MarkdownStyle = {
  text: (raw) => raw,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  code: (raw) => `\`${raw}\``,
  link: (label, url) => (label.trim() === '' || label === url ? url : `${label} (${url})`),
  heading: (inner) => `*${inner}*`,
  quote: (inner) => inner.replaceAll(/^/gm, '> '),
  codeBlock: (raw) => `\`\`\`\n${raw}\n\`\`\``,
};

/** Markdown as WhatsApp shows it; as it stands where that would not fit. */
export function toWhatsapp(markdown: string, limit: number): string {
  const text = renderMarkdown(markdown, STYLE);
  return text.length <= limit ? text : markdown;
}
