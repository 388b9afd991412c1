/** Characters of Markdown that are parsed at once: some texts take a time that grows with the square of their length. */
const CHUNK = 8_000;
/** Marks in one chunk; ordinary texts have a tenth, and texts of nothing else are made to block who reads them. */
const MAX_MARKS = 1_200;
/** Quotes and lists within each other, which parsers read by recursion. */
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){16}/m;

export interface MarkdownChunk {
  text: string;
  /** Whether it may be parsed; else it is shown as it is. */
  isTame: boolean;
}

/** Splits Markdown between its paragraphs into pieces that are quick to parse. A fence of code that is cut goes on in the next piece. */
export function markdownChunks(text: string): MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  let fence: string | undefined;
  for (let from = 0; from < text.length;) {
    const to = endOfChunk(text, from);
    const piece = text.slice(from, to);
    const opened: string | undefined = fence === undefined ? piece : `${fence}\n${piece}`;
    fence = openFence(opened);
    chunks.push({ text: opened, isTame: isTame(opened) });
    from = to;
  }
  return chunks;
}

function endOfChunk(text: string, from: number): number {
  if (text.length - from <= CHUNK) return text.length;
  const paragraph = text.lastIndexOf('\n\n', from + CHUNK);
  if (paragraph > from) return paragraph + 2;
  const line = text.lastIndexOf('\n', from + CHUNK);
  if (line > from) return line + 1;
  const at = from + CHUNK;
  return /[\ud800-\udbff]/.test(text[at - 1]!) ? at - 1 : at;
}

/** The opening of a fence that the text does not close. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const [, fence, info] of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]{0,80})/gm)) {
    if (open === undefined) open = fence! + info!;
    else if (fence!.startsWith(/^[`~]+/.exec(open)![0]) && info!.trim() === '') open = undefined;
  }
  return open;
}

function isTame(text: string): boolean {
  const prose = text.replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, '');
  return (prose.match(/[*_~`[\]<>!@&\\]/g)?.length ?? 0) <= MAX_MARKS && !DEEP.test(prose);
}
