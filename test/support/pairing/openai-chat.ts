import type { JsonObject } from './faults.js';
import { listOf, objectsOf } from './faults.js';

/**
 * What OpenAI's chat completions refuse. From https://platform.openai.com/docs/guides/function-calling and the errors of the API: "An
 * assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", "messages with role 'tool' must
 * be a response to a preceeding message with 'tool_calls'".
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
    if (due.size > 0) faults.push(`messages.${i}: no tool messages before it for ${[...due].join(', ')}`);
    due = new Set(objectsOf(message.tool_calls).map(({ id }) => id));
    if (due.size !== listOf(message.tool_calls).length) faults.push(`messages.${i}: an id twice`);
  }
  if (due.size > 0) faults.push(`the end: no tool messages for ${[...due].join(', ')}`);
  return faults;
}
