import { objectsOf, type JsonObject } from './faults.js';

const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'file'],
  assistant: ['text', 'file', 'reasoning', 'tool-call', 'tool-result', 'tool-approval-request'],
  tool: ['tool-result', 'tool-approval-response'],
};
const OUTPUTS = ['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied'];

/**
 * What the AI SDK refuses as model messages, by its schema (https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message) and
 * MissingToolResultsError ("Tool results are missing for tool calls"); and what providers refuse: results without a call, and
 * provider-executed calls without a result.
 */
export function aiSdkModelFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  let due = new Set<unknown>();
  for (const [i, { role, content }] of messages.entries()) {
    const tell = (fault: string) => faults.push(`messages.${i}: ${fault}`);
    if (typeof content !== 'string' || role === 'tool') schemaFaults(role, content).forEach(tell);
    if (role !== 'tool') {
      if (due.size > 0) tell(`no results before it for ${[...due].join(', ')}`);
      const calls = objectsOf(content).filter((part) => part.type === 'tool-call' && part.providerExecuted !== true);
      due = new Set(calls.map(({ toolCallId }) => toolCallId));
      if (due.size < calls.length) tell('an id twice');
      continue;
    }
    for (const { type, toolCallId } of objectsOf(content))
      if (type === 'tool-result' && !due.delete(toolCallId)) tell(`no call ${String(toolCallId)} is open`);
  }
  if (due.size > 0) faults.push(`the end: no results for ${[...due].join(', ')}`);
  return [...faults, ...hostedFaults(messages)];
}

function schemaFaults(role: unknown, content: unknown): string[] {
  const allowed = PARTS[String(role)];
  if (!allowed || !Array.isArray(content)) return ['no message'];
  const strange = objectsOf(content).filter(({ type }) => !allowed.includes(String(type)));
  const results = objectsOf(content).filter((part) => part.type === 'tool-result' && !isResult(part));
  return [...strange.map(({ type }) => `the part ${String(type)}`), ...results.map(() => 'no output')];
}

/** Tools that the provider runs: each call is followed by a result, except in the last message, which the provider continues. */
function hostedFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  const open = new Map<unknown, number>();
  for (const [i, { role, content }] of messages.entries()) {
    for (const { type, toolCallId, providerExecuted } of role === 'assistant' ? objectsOf(content) : []) {
      if (type === 'tool-result' && !open.delete(toolCallId))
        faults.push(`messages.${i}: no server call for its result`);
      if (type !== 'tool-call' || providerExecuted !== true) continue;
      if (ids.has(toolCallId)) faults.push(`messages.${i}: a server call twice`);
      ids.add(toolCallId);
      open.set(toolCallId, i);
    }
  }
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  for (const [id, i] of open) if (i < last) faults.push(`messages.${i}: no result for the server call ${String(id)}`);
  return faults;
}

function isResult(part: JsonObject): boolean {
  if (typeof part.toolName !== 'string') return false;
  // Version 4.
  if (!('output' in part)) return 'result' in part;
  const { type, value } = part.output as JsonObject;
  if (!OUTPUTS.includes(String(type))) return false;
  return String(type).endsWith('text') ? typeof value === 'string' : type === 'execution-denied' || value !== undefined;
}
