import { listOf, objectsOf, type JsonObject } from './faults.js';

const REQUEST_PARTS = ['system-prompt', 'user-prompt', 'tool-return', 'retry-prompt', 'instructions'];
const RESPONSE_PARTS = ['text', 'tool-call', 'thinking', 'builtin-tool-call', 'builtin-tool-return', 'file'];

/**
 * What pydantic-ai's `ModelMessagesTypeAdapter` does not read (https://ai.pydantic.dev/api/messages/), and calls that the next request does
 * not answer ("Cannot provide a new user prompt when the message history contains unprocessed tool calls").
 */
export function pydanticAiFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  let due: unknown[] = [];
  for (const [i, { kind, parts }] of messages.entries()) {
    const allowed = kind === 'request' ? REQUEST_PARTS : kind === 'response' ? RESPONSE_PARTS : [];
    if (allowed.length === 0) faults.push(`messages.${i}: no kind`);
    if (listOf(parts).length === 0) faults.push(`messages.${i}: no parts`);
    const all = objectsOf(parts);
    for (const { part_kind } of all)
      if (!allowed.includes(String(part_kind))) faults.push(`messages.${i}: the part ${String(part_kind)}`);
    const answered = new Set(all.map(({ tool_call_id }) => tool_call_id));
    const open = kind === 'request' ? due.filter((id) => !answered.has(id)) : due;
    if (open.length > 0) faults.push(`messages.${i}: no tool returns for ${open.join(', ')}`);
    due = all.filter(({ part_kind }) => part_kind === 'tool-call').map(({ tool_call_id }) => tool_call_id);
  }
  return due.length > 0 ? [...faults, `the end: no tool returns for ${due.join(', ')}`] : faults;
}
