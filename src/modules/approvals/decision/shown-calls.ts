import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';
import { JsonScanner } from '../../../common/json-scanner.js';
import { elementsOf, headOf, membersOf, readToolCalls, type ToolCall } from './tool-calls.js';

/** Calls of one approval that are told apart. */
const MAX_CALLS = 10_000;
/** Bytes up to which a call is shown whole where not all can be. */
const SHORT_BYTES = 256;
const MAX_NAME_LENGTH = 256;

/** The calls of an approval as people and agents get to read them. */
export interface ShownCalls {
  calls: ToolCall[];
  /** Not all is shown: nobody can know what they approve. */
  isCut: boolean;
}

/**
 * What an approval keeps of reported calls: their exact text, or an object with as much of it as can be shown.
 * @param text exact JSON of the reported array
 */
export function keptCalls(text: string): string {
  const elements = isLong(text) ? elementsOf(text, MAX_CALLS + 1) : null;
  if (elements === null || !isTooMuch(text, elements)) return text;
  const calls = cut(elements).map(({ id, name, args, raw }) => {
    return `${JSON.stringify({ id, name }).slice(0, -1)},"args":${args},"raw":${raw}}`;
  });
  return `{"calls":[${calls.join(',')}]}`;
}

/** @param text what `keptCalls` made, or an earlier release, which kept everything */
export function showCalls(text: string): ShownCalls {
  if (text.startsWith('{')) return { calls: readKept(text), isCut: true };
  const elements = isLong(text) ? elementsOf(text, MAX_CALLS + 1) : null;
  if (elements === null || !isTooMuch(text, elements)) return { calls: readToolCalls(text), isCut: false };
  return { calls: cut(elements), isCut: true };
}

/** Whether there may be too much: a call takes two characters at least, with its comma. */
function isLong(text: string): boolean {
  return text.length > 2 * MAX_CALLS;
}

function isTooMuch(text: string, elements: readonly Buffer[]): boolean {
  return text.length > MAX_PARSED_LENGTH || elements.length > MAX_CALLS;
}

function cut(elements: readonly Buffer[]): ToolCall[] {
  return elements.slice(0, MAX_CALLS).map((raw, index) => {
    const text = raw.toString();
    if (raw.length <= SHORT_BYTES) return { ...readToolCalls(`[${text}]`)[0]!, index };
    const { id, name } = headOf(membersOf(text));
    const args = JSON.stringify(`too large to show (${raw.length} bytes)`);
    return { index, id: shortOrNull(id), name: shortOrNull(name), args, raw: 'null' };
  });
}

function shortOrNull(text: string | null): string | null {
  return text !== null && text.length <= MAX_NAME_LENGTH ? text : null;
}

function readKept(text: string): ToolCall[] {
  const scanner = new JsonScanner(Buffer.from(text));
  const calls: ToolCall[] = [];
  const valueText = () => scanner.bytes.toString('utf8', ...scanner.value());
  scanner.members(() =>
    scanner.elements(() => {
      const members = new Map<string, string>();
      scanner.members((name) => members.set(name, valueText()));
      const { id, name } = headOf(members);
      calls.push({ index: calls.length, id, name, args: members.get('args')!, raw: members.get('raw')! });
    }),
  );
  return calls;
}
