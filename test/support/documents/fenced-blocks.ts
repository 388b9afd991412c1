/** A fenced block of a Markdown document. */
export interface FencedBlock {
  /** Line of its opening fence, from 1. */
  line: number;
  /** The word after the fence, such as `sh`; empty if there is none. */
  language: string;
  text: string;
}

const FENCE = /^( *)(`{3,}|~{3,})\s*([\w-]*)/;

/** A document's fenced blocks in order, without their fences' indentation. */
export function fencedBlocks(markdown: string): FencedBlock[] {
  const lines = markdown.split('\n');
  const blocks: FencedBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence = '', language = ''] = FENCE.exec(lines[at]!) ?? [];
    if (fence === '') continue;
    const begin = at + 1;
    do at++;
    while (at < lines.length && lines[at]!.trim() !== fence);
    const content = lines.slice(begin, at).map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    blocks.push({ line: begin, language, text: content.join('\n') });
  }
  return blocks;
}
