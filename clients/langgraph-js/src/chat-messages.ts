/** What is read of a message of LangChain. */
interface LangChainMessage {
  getType?(): string;
  content?: unknown;
  name?: string;
  tool_calls?: { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
}

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Messages in the shape of OpenAI's chat API, which people and models read. */
export function chatMessages(messages: readonly unknown[]): object[] {
  return messages.map(chatMessage);
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
    ...(tool_calls?.length && { tool_calls: tool_calls.map(chatCall) }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

/** A tool call in the same shape. */
export function chatCall({ id, name, args }: { id?: string; name: string; args: unknown }): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? null) } };
}
