import type { Token } from 'marked';

/** Code blocks allowed in any text, plus one per number of characters: each has a button, which costs a browser a millisecond. */
const FREE_CODE = 5;
const CHARACTERS_PER_CODE = 150;
/** Elements in one piece of Markdown; ordinary texts have a tenth. */
const MAX_TOKENS = 4_000;

/** Whether a browser draws the text's tokens without delay. */
export function isLight(text: string, tokens: readonly Token[]): boolean {
  const mostCode = FREE_CODE + text.length / CHARACTERS_PER_CODE;
  let [code, all] = [0, 0];
  const waiting: Token[][] = [[...tokens]];
  for (let some = waiting.pop(); some !== undefined; some = waiting.pop()) {
    all += some.length;
    for (const token of some) {
      if (token.type === 'code') code += 1;
      waiting.push(...childrenOf(token));
    }
    if (all > MAX_TOKENS || code > mostCode) return false;
  }
  return true;
}

function childrenOf(token: Token): Token[][] {
  const cells = token.type === 'table' ? [...token.header, ...token.rows.flat()] : [];
  const parts = [token, ...cells, ...(token.type === 'list' ? token.items : [])] as { tokens?: Token[] }[];
  return parts.flatMap(({ tokens }) => (tokens ? [tokens] : []));
}
