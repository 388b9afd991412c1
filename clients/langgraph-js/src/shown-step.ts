import { toolCall, type ReportedStep } from '@waystation/client';

/** The values of a checkpoint, by their channels. */
type Channels = Readonly<Record<string, unknown>>;

/** What is read of a message of LangChain. */
interface LangChainMessage {
  getType?(): string;
  content?: unknown;
  name?: string;
  tool_calls?: { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
}

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };
/** Begins the names of channels of edges that join nodes. */
const JOIN = 'join:';

/** A checkpoint as people see it. */
export function shownStep(channels: Channels): ReportedStep {
  return { status: hasWork(channels) ? 'in_progress' : 'idle', history: historyIn(channels) };
}

/** The messages of a checkpoint in the shape of OpenAI's chat API; none where the channel holds others. */
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

/** Whether a node is to run next: LangGraph says so in channels of its own. */
function hasWork(channels: Channels): boolean {
  return Object.entries(channels).some(([name, value]) => {
    if (name === '__pregel_tasks') return Array.isArray(value) && value.length > 0;
    // The channel of a deferred node stays, without a value.
    if (name.startsWith('branch:')) return value !== undefined;
    return name === '__start__' || (name.startsWith(JOIN) && isJoined(name, value));
  });
}

/**
 * Whether all nodes have come for which an edge waits that joins them. The channel `join:FIRST+SECOND:NEXT` stays after that, with those that have
 * come since; where the next node is deferred, it also says whether that may run.
 */
function isJoined(name: string, value: unknown): boolean {
  const waitedFor = name.slice(JOIN.length, name.lastIndexOf(':'));
  if (!Array.isArray(value)) return false;
  const come = (Array.isArray(value[0]) ? value[0] : value) as unknown[];
  // A name may have a plus itself, but each comes once, in any order.
  return come.join('+').length === waitedFor.length;
}
