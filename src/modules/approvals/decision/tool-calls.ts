import { JsonScanner } from '../../../common/json-scanner.js';

/** A tool call as people read it, whatever shape its framework gives it. Texts are exact JSON. */
export interface ToolCall {
  index: number;
  /** The caller's own id of the call. */
  id: string | null;
  name: string | null;
  /** Exact JSON of the arguments; of the whole call where no arguments can be told apart. */
  args: string;
  /** Exact JSON of the call as reported. */
  raw: string;
}

/** The members that may hold the name, the arguments and the id, the more telling first. */
const NAMES = ['name', 'function', 'tool_name', 'tool', 'toolName', 'function_name', 'action'];
const ARGUMENTS = ['args', 'arguments', 'input', 'parameters', 'tool_input', 'tool_args', 'action_input', 'params'];
/** OpenAI's Responses API has both `id` and `call_id`, and answers go to the latter. */
const IDS = ['call_id', 'id', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId'];
/** Members under which some frameworks put the call itself. */
const WRAPPERS = ['function', 'functionCall', 'function_call', 'tool_call', 'toolUse', 'action', 'action_request'];

/** Reads the calls of a pending checkpoint. A shape that nobody knows is shown as it is, never refused. */
export function readToolCalls(text: string): ToolCall[] {
  const scanner = new JsonScanner(Buffer.from(text));
  const calls: ToolCall[] = [];
  scanner.elements(() => {
    const [from, to] = scanner.value();
    calls.push(readCall(scanner.bytes.toString('utf8', from, to), calls.length));
  });
  return calls;
}

function readCall(raw: string, index: number): ToolCall {
  const members = membersOf(raw);
  if (!members) return { index, id: null, name: null, args: raw, raw };
  const inner = wrapped(members);
  const name = firstString(inner ?? members, NAMES) ?? firstString(members, NAMES);
  const args = first(inner ?? members, ARGUMENTS) ?? first(members, ARGUMENTS);
  return {
    index,
    id: firstString(members, IDS) ?? (inner && firstString(inner, IDS)),
    name,
    args: args === null ? (name === null ? raw : '{}') : unwrapJson(args),
    raw,
  };
}

/** Members of a JSON object as exact texts; null for any other value. */
function membersOf(text: string): Map<string, string> | null {
  const scanner = new JsonScanner(Buffer.from(text));
  if (!scanner.isObject()) return null;
  const members = new Map<string, string>();
  scanner.members((name) => {
    const [from, to] = scanner.value();
    members.set(name, scanner.bytes.toString('utf8', from, to));
  });
  return members;
}

function wrapped(members: ReadonlyMap<string, string>): Map<string, string> | null {
  for (const name of WRAPPERS) {
    const text = members.get(name);
    const inner = text === undefined ? null : membersOf(text);
    if (inner) return inner;
  }
  return null;
}

function first(members: ReadonlyMap<string, string>, names: readonly string[]): string | null {
  for (const name of names) {
    const text = members.get(name);
    if (text !== undefined && text !== 'null') return text;
  }
  return null;
}

function firstString(members: ReadonlyMap<string, string>, names: readonly string[]): string | null {
  for (const name of names) {
    const text = members.get(name);
    if (text?.startsWith('"')) return JSON.parse(text) as string;
  }
  return null;
}

/** OpenAI puts the arguments as JSON into a string: people shall see the JSON, digits and all. */
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
