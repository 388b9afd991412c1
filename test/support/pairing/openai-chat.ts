import type { JsonObject } from './faults.js';
import { isBlank, listOf, objectsOf } from './faults.js';

/**
 * What OpenAI's chat completions refuse. From https://platform.openai.com/docs/guides/function-calling and the errors of the API: "An
 * assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", "messages with role 'tool' must
 * be a response to a preceeding message with 'tool_calls'", "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum
 * length 1", the same of `content`, "Invalid value for 'content': expected a string, got null"; and of the APIs like it: "Assistant message must
 * have either content or tool_calls, but not none" (Mistral), "content or tool_calls must be set" (DeepSeek).
 */
export function openAiChatFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  let due = new Set<unknown>();
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!due.delete(message.tool_call_id))
        faults.push(`messages.${i}: no call ${String(message.tool_call_id)} is open`);
      if (typeof message.content !== 'string' && !Array.isArray(message.content))
        faults.push(`messages.${i}: no content`);
      continue;
    }
    faults.push(...emptyFaults(message).map((fault) => `messages.${i}: ${fault}`));
    if (due.size > 0) faults.push(`messages.${i}: no tool messages before it for ${[...due].join(', ')}`);
    due = new Set(objectsOf(message.tool_calls).map(({ id }) => id));
    if (due.size !== listOf(message.tool_calls).length) faults.push(`messages.${i}: an id twice`);
  }
  if (due.size > 0) faults.push(`the end: no tool messages for ${[...due].join(', ')}`);
  return faults;
}

function emptyFaults(message: JsonObject): string[] {
  const { content, tool_calls, function_call, refusal, audio } = message;
  const faults: string[] = [];
  if (Array.isArray(tool_calls) && tool_calls.length === 0) faults.push('an empty list of calls');
  if (Array.isArray(content) && content.length === 0) faults.push('an empty list of parts');
  if (message.role !== 'assistant') return faults;
  const texts = typeof content === 'string' ? [content] : objectsOf(content).map(({ text }) => text);
  const isSaid =
    texts.some((text) => !isBlank(text)) || [function_call, refusal, audio].some((one) => (one ?? null) !== null);
  return isSaid || listOf(tool_calls).length > 0 ? faults : [...faults, 'neither content nor calls'];
}
