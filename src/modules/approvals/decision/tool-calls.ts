import { isNull, isText } from '../../../common/exact-values.js';
import { MAX_PARSED_LENGTH } from '../../../common/json-limits.js';
import { JsonScanner } from '../../../common/json-scanner.js';

/** A tool call as people read it, whatever its framework's format. */
export interface ToolCall {
  index: number;
  /** The framework's id of the call. */
  id: string | null;
  name: string | null;
  /** Exact JSON of the arguments; of the whole call if it has neither name nor arguments. */
  args: string;
  /** Exact JSON of the call as reported. */
  raw: string;
  /** Exact JSON of the members that say what people are asked or may decide; absent if the call has none. */
  questions?: string;
  allowed_decisions?: string;
}

/** The members that may hold the name, arguments and id, in order of preference. */
const NAMES = ['name', 'function', 'tool_name', 'tool', 'toolName', 'function_name', 'action'];
const ARGUMENTS = ['args', 'arguments', 'input', 'parameters', 'tool_input', 'tool_args', 'action_input', 'params'];
/** OpenAI's Responses API has both `id` and `call_id`, and answers go to the latter. */
const IDS = ['call_id', 'id', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId'];
/** Members in which some frameworks wrap the call. */
const WRAPPERS = ['function', 'functionCall', 'function_call', 'tool_call', 'toolUse', 'action', 'action_request'];

/** The members that are read; a call may have any number of others. */
const READ = new Set([...NAMES, ...ARGUMENTS, ...IDS, ...WRAPPERS, 'questions', 'allowed_decisions']);

const [FOLDED_NAMES, FOLDED_ARGUMENTS, FOLDED_WRAPPERS] = [NAMES, [...ARGUMENTS, 'kwargs'], WRAPPERS].map(
  (names) => new Set(names.map(folded)),
) as [Set<string>, Set<string>, Set<string>];

/** Reads the calls of a pending checkpoint. Unknown shapes are shown as they are, never refused. */
export function readToolCalls(text: string): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const raw of elementsOf(text)) calls.push(readCall(raw, calls.length));
  return calls;
}

/** The first elements of a JSON array. */
export function elementsOf(text: string, limit = Infinity): Buffer[] {
  const scanner = new JsonScanner(Buffer.from(text));
  const elements: Buffer[] = [];
  scanner.elements(() => {
    const [from, to] = scanner.value();
    if (elements.length < limit) elements.push(scanner.bytes.subarray(from, to));
  });
  return elements;
}

/** The id and the name of a call. */
export function headOf(
  members: ReadonlyMap<string, Buffer> | null,
  inner = members && wrapped(members),
): Pick<ToolCall, 'id' | 'name'> {
  if (!members) return { id: null, name: null };
  return {
    id: firstString(members, IDS) ?? (inner && firstString(inner, IDS)),
    name: firstString(inner ?? members, NAMES) ?? firstString(members, NAMES),
  };
}

/** The members of a JSON object that describe a call, as exact bytes; null for any other value. */
export function membersOf(bytes: Buffer): Map<string, Buffer> | null {
  const scanner = new JsonScanner(bytes);
  if (!scanner.isObject()) return null;
  const members = new Map<string, Buffer>();
  scanner.members((name) => {
    const [from, to] = scanner.value();
    if (READ.has(name)) members.set(name, bytes.subarray(from, to));
  });
  return members;
}

/** Other members that change what a call means: it asks questions, or names the server of its tool, as MCP does. */
const MEANINGFUL = new Set(['questions', 'serverlabel', 'servername', 'server', 'mcpserver', 'namespace', 'plugin']);

/** Every name that a call could have for some reader, even one that prefers other members than this server. */
export function namesOf(raw: string): string[] {
  const names: string[] = [];
  for (const [name, value] of pairsWithin(Buffer.from(raw)).all) {
    if (FOLDED_NAMES.has(folded(name)) && isText(value)) names.push(JSON.parse(value.toString()) as string);
  }
  return names.length > 0 ? names : [''];
}

/**
 * Whether every reader sees the same call: no duplicate members, at most one wrapped call, one name and one member with arguments, even for
 * readers that ignore case and `_`; and no other member changes its meaning.
 */
export function isPlain(raw: string): boolean {
  const { outer, inner, all } = pairsWithin(Buffer.from(raw));
  if (outer === null || inner.length > 1 || [outer, ...inner].some(hasTwice)) return false;
  if (
    inner.some((members) => members.some(isWrapper)) ||
    outer.some((pair) => isWrapper(pair) && !WRAPPERS.includes(pair[0]))
  )
    return false;
  const meant = (names: ReadonlySet<string>) =>
    all.filter(([name, value]) => names.has(folded(name)) && !isNull(value));
  const [names, args] = [meant(FOLDED_NAMES), meant(FOLDED_ARGUMENTS)];
  const isOne = names.length === 1 && NAMES.includes(names[0]![0]) && isText(names[0]![1]) && args.length === 1;
  return isOne && ARGUMENTS.includes(args[0]![0]) && !all.some(([name]) => MEANINGFUL.has(folded(name)));
}

type Pair = readonly [name: string, value: Buffer];

/** The members of a call. */
interface CallPairs {
  /** Null if the call is not an object. */
  outer: Pair[] | null;
  /** Those of each object that may be the wrapped call. */
  inner: Pair[][];
  /** Both, without the wrapping members. */
  all: Pair[];
}

function pairsWithin(bytes: Buffer): CallPairs {
  const outer = pairsOf(bytes);
  const inner: Pair[][] = [];
  const all: Pair[] = [];
  for (const pair of outer ?? []) {
    if (isWrapper(pair)) inner.push(pairsOf(pair[1])!);
    else all.push(pair);
  }
  return { outer, inner, all: [...all, ...inner.flat()] };
}

function isWrapper([name, value]: Pair): boolean {
  return FOLDED_WRAPPERS.has(folded(name)) && new JsonScanner(value).isObject();
}

/** All members of an object; null for any other value. */
function pairsOf(bytes: Buffer): Pair[] | null {
  const scanner = new JsonScanner(bytes);
  if (!scanner.isObject()) return null;
  const pairs: Pair[] = [];
  scanner.members((name) => pairs.push([name, bytes.subarray(...scanner.value())]));
  return pairs;
}

function hasTwice(pairs: readonly Pair[]): boolean {
  return new Set(pairs.map(([name]) => folded(name))).size < pairs.length;
}

function folded(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');
}

/** Reads a call from its exact bytes. */
export function readCall(bytes: Buffer, index: number): ToolCall {
  const raw = bytes.toString();
  const members = membersOf(bytes);
  if (!members) return { index, id: null, name: null, args: raw, raw };
  const inner = wrapped(members);
  const { id, name } = headOf(members, inner);
  const args = first(inner ?? members, ARGUMENTS) ?? first(members, ARGUMENTS);
  const call = { index, id, name, args: args === null ? (name === null ? raw : '{}') : unwrapJson(args), raw };
  return { ...call, ...termsIn(members) };
}

/** What the call says about decisions on it. */
export function termsIn(members: ReadonlyMap<string, Buffer>): Pick<ToolCall, 'questions' | 'allowed_decisions'> {
  const [questions, allowed] = [first(members, ['questions']), first(members, ['allowed_decisions'])];
  return { ...(questions !== null && { questions }), ...(allowed !== null && { allowed_decisions: allowed }) };
}

function wrapped(members: ReadonlyMap<string, Buffer>): Map<string, Buffer> | null {
  for (const name of WRAPPERS) {
    const value = members.get(name);
    const inner = value && membersOf(value);
    if (inner) return inner;
  }
  return null;
}

function first(members: ReadonlyMap<string, Buffer>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = members.get(name);
    if (value && !isNull(value)) return value.toString();
  }
  return null;
}

function firstString(members: ReadonlyMap<string, Buffer>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = members.get(name);
    if (isText(value) && value!.length <= MAX_PARSED_LENGTH) return textOf(value!.toString());
  }
  return null;
}

/** @param text a JSON string */
function textOf(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** OpenAI encodes the arguments as JSON in a string; people see that JSON with all digits. */
function unwrapJson(text: string): string {
  if (!text.startsWith('"')) return text;
  const inner = (JSON.parse(text) as string).trim();
  if (!inner.isWellFormed()) return text;
  try {
    const value: unknown = JSON.parse(inner);
    return typeof value === 'object' && value !== null ? inner : text;
  } catch {
    return text;
  }
}
