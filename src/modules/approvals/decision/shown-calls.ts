import { MAX_ALLOWED_DECISIONS_BYTES } from '../../../common/contract/questions.js';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';
import { JsonScanner } from '../../../common/json-scanner.js';
import { elementsOf, headOf, membersOf, readCall, readToolCalls, termsIn, type ToolCall } from './tool-calls.js';

/** Most calls shown of one approval. */
const MAX_CALLS = 10_000;
/** Most bytes of a call that is shown whole when not all can be. */
const SHORT_BYTES = 256;
const MAX_NAME_LENGTH = 256;

/** The calls of an approval as people and agents see them. */
export interface ShownCalls {
  calls: ToolCall[];
  /** Not everything is shown, so nobody can know what they approve. */
  isCut: boolean;
}

/**
 * What an approval keeps of reported calls: their exact text, or an object with what can be shown of it.
 * @param text exact JSON of the reported array
 */
export function keptCalls(text: string): string {
  const elements = mayBeTooMuch(text) ? elementsOf(text, MAX_CALLS + 1) : null;
  if (elements === null || !isTooMuch(text, elements)) return text;
  const calls = cut(elements).map(({ id, name, args, raw, allowed_decisions: allowed }) => {
    const terms = allowed === undefined ? '' : `,"allowed_decisions":${allowed}`;
    return `${JSON.stringify({ id, name }).slice(0, -1)},"args":${args}${terms},"raw":${raw}}`;
  });
  return `{"calls":[${calls.join(',')}]}`;
}

/** @param text from `keptCalls`, or from an earlier release, which kept everything */
export function showCalls(text: string): ShownCalls {
  if (text.startsWith('{')) return { calls: readKept(text), isCut: true };
  const elements = mayBeTooMuch(text) ? elementsOf(text, MAX_CALLS + 1) : null;
  if (elements === null || !isTooMuch(text, elements)) return { calls: readToolCalls(text), isCut: false };
  return { calls: cut(elements), isCut: true };
}

/** Quick, without false negatives: a comma separates any two calls. */
function mayBeTooMuch(text: string): boolean {
  if (text.length > MAX_PARSED_LENGTH) return true;
  let calls = 1;
  for (let at = text.indexOf(','); at !== -1 && calls <= MAX_CALLS; at = text.indexOf(',', at + 1)) calls += 1;
  return calls > MAX_CALLS;
}

function isTooMuch(text: string, elements: readonly Buffer[]): boolean {
  return text.length > MAX_PARSED_LENGTH || elements.length > MAX_CALLS;
}

function cut(elements: readonly Buffer[]): ToolCall[] {
  return elements.slice(0, MAX_CALLS).map((raw, index) => {
    if (raw.length <= SHORT_BYTES) return readCall(raw, index);
    const members = membersOf(raw);
    const { id, name } = headOf(members);
    const args = JSON.stringify(`too large to show (${raw.length} bytes)`);
    const call = { index, id: shortOrNull(id), name: shortOrNull(name), args, raw: 'null' };
    // A cut call asks no questions, but the agent may limit the decisions on it.
    const allowed = members && termsIn(members).allowed_decisions;
    return allowed && allowed.length <= MAX_ALLOWED_DECISIONS_BYTES ? { ...call, allowed_decisions: allowed } : call;
  });
}

function shortOrNull(text: string | null): string | null {
  return text !== null && text.length <= MAX_NAME_LENGTH ? text : null;
}

function readKept(text: string): ToolCall[] {
  const scanner = new JsonScanner(Buffer.from(text));
  const calls: ToolCall[] = [];
  const value = () => scanner.bytes.subarray(...scanner.value());
  scanner.members(() =>
    scanner.elements(() => {
      const members = new Map<string, Buffer>();
      scanner.members((name) => members.set(name, value()));
      const { id, name } = headOf(members);
      const [args, raw] = [String(members.get('args')), String(members.get('raw'))];
      calls.push({ index: calls.length, id, name, args, raw, ...termsIn(members) });
    }),
  );
  return calls;
}
