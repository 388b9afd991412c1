/** How a platform writes Markdown. Inner texts are already in the platform's format; plain texts are raw. */
export interface MarkdownStyle {
  text(raw: string): string;
  bold(inner: string): string;
  italic(inner: string): string;
  strike(inner: string): string;
  code(raw: string): string;
  link(label: string, url: string): string;
  heading(inner: string): string;
  /** The quoted lines, joined by line breaks. */
  quote(inner: string): string;
  codeBlock(raw: string, language: string): string;
}

/** A line that opens or closes a code block; the text after the language is for other programs. */
export const FENCE = /^ {0,3}(?<marker>`{3,}|~{3,})[ \t]*(?:(?<language>[\w+#.-]{1,30})(?:[ \t]+[^`]*)?)?$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(?<title>.*?)(?:[ \t]+#+)?[ \t]*$/;
const BULLET = /^(?<indent>[ \t]*)[*+-](?=[ \t]+\S)/;
const QUOTE = /^ {0,3}> ?/;
const MAX_NESTING = 4;

/** Spans within one line: what models write, not all of CommonMark. Underscores within words are letters. */
const INLINE = new RegExp(
  [
    '\\\\(?<escaped>[\\\\`*_{}[\\]()#+\\-.!~|>])',
    // Whole runs only: trying each part of a long run would take minutes.
    '(?<!`)(?<ticks>`{1,4})(?!`)(?<code>.+?)(?<!`)\\k<ticks>(?!`)',
    String.raw`!?\[(?<label>[^[\]]*)\]\((?<url>https?:\/\/[^\s()<>"]+(?:\([^\s()<>"]*\)[^\s()<>"]*)*)\)`,
    String.raw`\*\*\*(?=[^\s*])(?<both>.+?)(?<=[^\s*])\*\*\*(?!\*)`,
    String.raw`\*\*(?=[^\s*])(?<bold>.+?)(?<=\S)\*\*(?!\*)`,
    String.raw`(?<![\p{L}\p{N}_])__(?=[^\s_])(?<bold2>.+?)(?<=[^\s_])__(?![\p{L}\p{N}_])`,
    String.raw`~~(?=[^\s~])(?<strike>.+?)(?<=[^\s~])~~`,
    String.raw`(?<![\p{L}\p{N}*])\*(?=[^\s*])(?<italic>[^*]+?)(?<=\S)\*(?![\p{L}\p{N}*])`,
    String.raw`(?<![\p{L}\p{N}_])_(?=[^\s_])(?<italic2>[^_]+?)(?<=\S)_(?![\p{L}\p{N}_])`,
  ].join('|'),
  'gu',
);

/** Converts Markdown to a platform's format. Text that it does not understand stays as it is. Never fails. */
export function renderMarkdown(source: string, style: MarkdownStyle): string {
  const lines = source.split(/\r?\n/);
  const written: string[] = [];
  for (let at = 0; at < lines.length;) {
    const fence = at === lines.length - 1 ? undefined : FENCE.exec(lines[at]!)?.groups;
    const end = fence ? endOfFence(lines, at, fence.marker!) : endOfQuote(lines, at);
    if (fence) written.push(style.codeBlock(lines.slice(at + 1, end).join('\n'), fence.language ?? ''));
    else if (end > at) written.push(style.quote(quoted(lines.slice(at, end), style)));
    else written.push(renderLine(lines[at]!, style));
    at = fence ? end + 1 : Math.max(end, at + 1);
  }
  return written.join('\n');
}

/** The index of the closing line, or of the end of the text if there is none. */
function endOfFence(lines: readonly string[], from: number, marker: string): number {
  const closing = new RegExp(`^ {0,3}${marker[0]}{${marker.length},}[ \\t]*$`);
  const found = lines.findIndex((line, i) => i > from && closing.test(line));
  return found === -1 ? lines.length : found;
}

function endOfQuote(lines: readonly string[], from: number): number {
  let end = from;
  while (end < lines.length && QUOTE.test(lines[end]!)) end += 1;
  return end;
}

function quoted(lines: readonly string[], style: MarkdownStyle): string {
  return lines.map((line) => renderLine(line.replace(QUOTE, ''), style)).join('\n');
}

function renderLine(line: string, style: MarkdownStyle): string {
  const title = HEADING.exec(line)?.groups?.title;
  if (title) return style.heading(renderInline(title.replace(/^\*\*([^*]+)\*\*$/, '$1'), style, 0));
  const indent = BULLET.exec(line)?.groups?.indent;
  if (indent === undefined) return renderInline(line, style, 0);
  return `${indent}•${renderInline(line.slice(indent.length + 1), style, 0)}`;
}

function renderInline(text: string, style: MarkdownStyle, depth: number): string {
  if (depth > MAX_NESTING) return style.text(text);
  let written = '';
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    written += style.text(text.slice(at, match.index)) + renderSpan(match.groups!, style, depth + 1);
    at = match.index + match[0].length;
  }
  return written + style.text(text.slice(at));
}

function renderSpan(span: Record<string, string | undefined>, style: MarkdownStyle, depth: number): string {
  const inner = (text: string) => renderInline(text, style, depth);
  const bold = span.bold ?? span.bold2;
  if (span.escaped !== undefined) return style.text(span.escaped);
  if (span.code !== undefined) return style.code(span.code);
  if (span.url !== undefined) return style.link(inner(span.label ?? ''), span.url);
  if (span.both !== undefined) return style.bold(style.italic(inner(span.both)));
  if (bold !== undefined) return style.bold(inner(bold));
  if (span.strike !== undefined) return style.strike(inner(span.strike));
  return style.italic(inner(span.italic ?? span.italic2 ?? ''));
}
