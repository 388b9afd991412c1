/** Characters of Markdown parsed at once: parsing some texts takes quadratic time. */
const CHUNK = 8_000;
/** Marks in one chunk. Ordinary texts have a tenth; a text of nothing but marks is meant to block its reader. */
const MAX_MARKS = 1_200;
/** Deeply nested quotes and lists, which parsers read recursively. */
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){16}/m;

export interface MarkdownChunk {
  text: string;
  /** Whether it may be parsed; otherwise it is shown as it is. */
  isTame: boolean;
}

/** Splits Markdown between paragraphs into pieces that parse quickly. A code fence that is split continues in the next piece. */
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
