import { toolCall, type ReportedStep } from '@waystation/client';

/** The values of a checkpoint, by channel. */
type Channels = Readonly<Record<string, unknown>>;

/** The members of a LangChain message that are read. */
interface LangChainMessage {
  getType?(): string;
  content?: unknown;
  name?: string;
  tool_calls?: { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
  usage_metadata?: { input_tokens?: number; output_tokens?: number; total_tokens?: number };
  response_metadata?: Readonly<Record<string, unknown>>;
}

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };
/** Prefix of the channels of joining edges. */
const JOIN = 'join:';
/** Prefix of the channels of scheduled nodes. */
const NEXT = 'branch:to:';

/** Where providers name the model. */
const MODEL_NAMES = ['model_name', 'model', 'model_id', 'modelId'];

/**
 * A checkpoint in the form shown to people.
 * @param turnStart the number of messages before the last input; undefined if another process received it
 */
export function shownStep(channels: Channels, turnStart?: number): ReportedStep {
  const status = hasWork(channels) ? 'in_progress' : 'completed';
  return { status, history: historyIn(channels), ...usageIn(channels, turnStart) };
}

/** The model, and the tokens of the turn, from the model's messages; empty if they name none. */
export function usageIn({ messages }: Channels, turnStart?: number): Record<string, unknown> {
  if (!Array.isArray(messages)) return {};
  const all = messages.map((one) => Object(one) as LangChainMessage);
  const lastInput = all.findLastIndex((one) => one.getType?.() === 'human');
  const from = turnStart !== undefined && turnStart <= all.length ? turnStart : lastInput + 1;
  const used = all.slice(from).flatMap(({ usage_metadata }) => usage_metadata ?? []);
  const sum = (tokens: (one: (typeof used)[number]) => number | undefined) =>
    used.reduce((total, one) => total + (tokens(one) ?? 0), 0);
  const model = all
    .map(({ response_metadata: said }) => MODEL_NAMES.map((name) => said?.[name]).find(isName))
    .findLast(isName);
  return {
    ...(model !== undefined && { model }),
    ...(used.length > 0 && {
      input_tokens: sum(({ input_tokens }) => input_tokens),
      output_tokens: sum(({ output_tokens }) => output_tokens),
      tokens_used: sum(
        ({ input_tokens = 0, output_tokens = 0, total_tokens = input_tokens + output_tokens }) => total_tokens,
      ),
    }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The next node; undefined if there are several, or none. */
export function nextNode(channels: Channels): string | undefined {
  const sends = Array.isArray(channels['__pregel_tasks']) ? (channels['__pregel_tasks'] as { node?: unknown }[]) : [];
  const nodes = new Set([
    ...Object.entries(channels).flatMap(([name, value]) =>
      name.startsWith(NEXT) && value !== undefined ? name.slice(NEXT.length) : [],
    ),
    ...sends.flatMap(({ node }) => (isName(node) ? node : [])),
  ]);
  return nodes.size === 1 ? [...nodes][0] : undefined;
}

/** The messages of a checkpoint in the shape of OpenAI's chat API; empty if the channel holds something else. */
export function historyIn({ messages }: Channels): object[] {
  return Array.isArray(messages) ? messages.map(chatMessage) : [];
}

function chatMessage(message: unknown): object {
  if (typeof message === 'string') return { role: 'user', content: message };
  const { content, name, tool_calls, tool_call_id } = Object(message) as LangChainMessage;
  const type = (message as LangChainMessage | null)?.getType?.();
  if (type === undefined)
    return typeof message === 'object' && message !== null ? { ...message } : { content: message };
  return {
    role: ROLES[type] ?? type,
    content,
    ...(name !== undefined && { name }),
    ...(tool_calls?.length && { tool_calls: tool_calls.map((one) => toolCall(one.id, one.name, one.args)) }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

/** Whether a node is scheduled, according to LangGraph's own channels. */
function hasWork(channels: Channels): boolean {
  return Object.entries(channels).some(([name, value]) => {
    if (name === '__pregel_tasks') return Array.isArray(value) && value.length > 0;
    // A deferred node's channel stays, without a value.
    if (name.startsWith('branch:')) return value !== undefined;
    return name === '__start__' || (name.startsWith(JOIN) && isJoined(name, value));
  });
}

/**
 * Whether all nodes that a joining edge waits for have finished. The channel `join:FIRST+SECOND:NEXT` stays afterwards, with those finished
 * since; for a deferred next node, it also says whether that may run.
 */
function isJoined(name: string, value: unknown): boolean {
  const waitedFor = name.slice(JOIN.length, name.lastIndexOf(':'));
  if (!Array.isArray(value)) return false;
  const come = (Array.isArray(value[0]) ? value[0] : value) as unknown[];
  // A name may contain a plus, but each occurs once, in any order.
  return come.join('+').length === waitedFor.length;
}
