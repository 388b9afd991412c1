import type { EventKind } from '../../../common/contract/event-types.js';
import { isSpace } from '../../../common/json-tokens.js';
import { LongText } from '../../../common/long-text.js';
import { HISTORY_BASE, type DataOutline, type Span } from './batch-outline.js';

const QUOTE = 0x22;
const COMMA = 0x2c;

/** The data as reported, but with empty lists and no base: small, however long the history, and the same with and without a base. */
export function textWithoutLists(bytes: Buffer, outline: DataOutline, kind: EventKind): LongText {
  const base = kind === 'checkpoint' ? outline.members.get(HISTORY_BASE) : undefined;
  if (!outline.history && !outline.historyMeta && !base && !outline.isOfLargeBody) {
    const [from, to] = outline.span;
    return LongText.of(bytes.toString('utf8', from, to), to - from);
  }
  const spans = spansWithout(outline, base ? memberSpan(bytes, base, outline.span) : null);
  if (outline.isOfLargeBody) return LongText.inParts(spans.map(([from, to]) => bytes.subarray(from, to)));
  let text = '';
  let length = 0;
  for (const [from, to] of spans) {
    text += bytes.toString('utf8', from, to);
    length += to - from;
  }
  return LongText.of(text, length);
}

function spansWithout({ span, history, historyMeta }: DataOutline, member: Span | null): Span[] {
  const gaps: Span[] = [];
  for (const list of [history, historyMeta]) if (list) gaps.push([list.span[0] + 1, list.span[1] - 1]);
  if (member) gaps.push(member);
  gaps.sort((a, b) => a[0] - b[0]);
  const spans: Span[] = [];
  let at = span[0];
  for (const [from, to] of gaps) {
    spans.push([at, from]);
    at = to;
  }
  spans.push([at, span[1]]);
  return spans;
}

/**
 * A member's span from its name to after its value, with the comma that separates it from the next member, or else from the previous one.
 * @param object the object's span
 */
function memberSpan(bytes: Buffer, [valueFrom, valueTo]: Span, [objectFrom, objectTo]: Span): Span {
  // Before the value are white space, a colon, and the quoted name, which contains no quote.
  const closing = bytes.lastIndexOf(QUOTE, valueFrom - 1);
  let from = bytes.lastIndexOf(QUOTE, closing - 1);
  let to = valueTo;
  while (isSpace(bytes[to]!)) to += 1;
  if (bytes[to] === COMMA) {
    to += 1;
    while (isSpace(bytes[to]!)) to += 1;
    return [from, to];
  }
  while (from - 1 > objectFrom && isSpace(bytes[from - 1]!)) from -= 1;
  if (bytes[from - 1] === COMMA) from -= 1;
  return [from, Math.min(to, objectTo)];
}
