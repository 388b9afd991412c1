/** A message within a step, and the kind of work that it ended. */
export interface Work {
  /** By the agent's clock, in milliseconds. */
  at: number;
  /** `call`: the model requested a tool, which works from then on. `person`: someone wrote a message. */
  kind: 'model' | 'call' | 'tool' | 'person';
  /** For a call: the names of the tools. */
  tools?: string;
}

type Fields = Record<string, unknown>;

const PEOPLE = new Set(['user', 'human']);
const MODELS = new Set(['assistant', 'ai', 'model', 'reasoning']);
const TOOLS = new Set(['tool', 'function', 'tool_result', 'function_call_output']);
const CALLS = new Set(['tool_use', 'tool-call', 'tool_call', 'function_call']);
const RESULTS = new Set(['tool_result', 'tool-result', 'function_call_output']);

/** The work that a message of any format ended; null if there was none, as for instructions, or if it has no time. */
export function workOf(message: unknown, meta: unknown): Work | null {
  const at = isObject(meta) && typeof meta.ts === 'string' ? Date.parse(meta.ts) : Number.NaN;
  const kind = isObject(message) && Number.isFinite(at) ? kindOf(message) : null;
  if (!kind) return null;
  return kind === 'call' ? { at, kind, tools: toolsOf(message as Fields) } : { at, kind };
}

function kindOf(message: Fields): Work['kind'] | null {
  const role = String(message.role ?? message.type ?? '');
  const parts = partsOf(message);
  const has = (types: ReadonlySet<string>, field: string) =>
    parts.some((part) => types.has(String(part.type)) || field in part);
  if (TOOLS.has(role) || has(RESULTS, 'functionResponse')) return 'tool';
  if (PEOPLE.has(role)) return 'person';
  const isCall = CALLS.has(role) || isFilled(message.tool_calls) || isObject(message.function_call);
  if (isCall || has(CALLS, 'functionCall')) return 'call';
  return MODELS.has(role) ? 'model' : null;
}

function partsOf({ content, parts }: Fields): Fields[] {
  return [content, parts].flat().filter(isObject);
}

/** Each name once, in the order of the calls. */
function toolsOf(message: Fields): string {
  const calls = [message.tool_calls, message.function_call, partsOf(message), message].flat().filter(isObject);
  const names = calls.map((call) => [call.function, call.functionCall, call].find(isObject)?.name);
  return [...new Set(names.filter((name) => typeof name === 'string'))].join(', ');
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
