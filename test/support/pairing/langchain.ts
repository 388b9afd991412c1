import { isBlank, listOf, objectsOf, type JsonObject } from './faults.js';

const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: 'human',
  AIMessage: 'ai',
  AIMessageChunk: 'ai',
  SystemMessage: 'system',
  ToolMessage: 'tool',
};

/**
 * What LangChain and LangGraph refuse, or the providers once it is sent: "Found AIMessages with tool_calls that do not have a corresponding
 * ToolMessage" (INVALID_CHAT_HISTORY), messages that the classes do not validate, and violations of OpenAI's chat rules in the output of
 * `convert_to_openai_messages`. From https://docs.langchain.com/oss/python/langchain/messages and langchain_core.
 */
export function langChainFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const due = new Set<unknown>();
  for (const [i, message] of messages.entries()) {
    const { type, fields } = readLangChain(message);
    if (type === undefined || 'role' in message) faults.push(`messages.${i}: no message of LangChain`);
    if (typeof fields.content !== 'string' && !Array.isArray(fields.content)) faults.push(`messages.${i}: no content`);
    if (type === 'tool') {
      if (!due.delete(fields.tool_call_id))
        faults.push(`messages.${i}: no call ${String(fields.tool_call_id)} is open`);
      if (![undefined, 'success', 'error'].includes(fields.status as string)) faults.push(`messages.${i}: its status`);
      continue;
    }
    if (due.size > 0) faults.push(`messages.${i}: no results before it for ${[...due].join(', ')}`);
    due.clear();
    const calls = [...objectsOf(fields.tool_calls), ...objectsOf(fields.invalid_tool_calls)];
    for (const { id } of calls) due.add(id);
    if (due.size < calls.length) faults.push(`messages.${i}: an id twice`);
    const isEmpty = isBlank(fields.content) || (Array.isArray(fields.content) && listOf(fields.content).length === 0);
    if (type === 'ai' && isEmpty && calls.length === 0) faults.push(`messages.${i}: neither content nor calls`);
  }
  return due.size > 0 ? [...faults, `the end: no results for ${[...due].join(', ')}`] : faults;
}

function readLangChain(message: JsonObject): { type: string | undefined; fields: JsonObject } {
  const { lc, type, id, kwargs, data } = message;
  if (lc === 1) return { type: TYPES[String(listOf(id).at(-1))], fields: (kwargs ?? {}) as JsonObject };
  const name = TYPES[String(type)] ?? String(type);
  const fields = typeof data === 'object' && data !== null ? (data as JsonObject) : message;
  return { type: Object.values(TYPES).includes(name) ? name : undefined, fields };
}
