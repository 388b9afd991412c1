import type { JsonObject } from './faults.js';

/**
 * The items of `input` that the client answers, with the items that answer them:
 * https://platform.openai.com/docs/api-reference/responses/create
 */
const ANSWERED_BY: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  computer_call: 'computer_call_output',
  mcp_approval_request: 'mcp_approval_response',
};
const ANSWERS = new Set(Object.values(ANSWERED_BY));

/**
 * What OpenAI's Responses API refuses: "No tool output found for function call", "No tool call found for function call output", "Item of
 * type 'reasoning' was provided without its required following item".
 */
export function openAiResponsesFaults(items: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const type = String(item.type ?? 'message');
    const answer = ANSWERED_BY[type];
    const key = `${answer ?? type} ${String(item.approval_request_id ?? item.call_id ?? item.id)}`;
    if (answer) open.set(key, (open.get(key) ?? 0) + 1);
    if (ANSWERS.has(type)) {
      const left = (open.get(key) ?? 0) - 1;
      if (left < 0) faults.push(`input.${i}: no call for ${key}`);
      if (left > 0) open.set(key, left);
      else open.delete(key);
      faults.push(...contentFaults(item).map((fault) => `input.${i}: ${fault}`));
    }
    if (type === 'reasoning' && !isOfModel(items[i + 1]))
      faults.push(`input.${i}: reasoning without its following item`);
  }
  for (const key of open.keys()) faults.push(`no ${key}`);
  return faults;
}

function isOfModel(item: JsonObject | undefined): boolean {
  if (!item || ANSWERS.has(String(item.type))) return false;
  return item.role === undefined || item.role === 'assistant';
}

function contentFaults(item: JsonObject): string[] {
  if (item.type === 'mcp_approval_response') return typeof item.approve === 'boolean' ? [] : ['no approve'];
  if (item.type === 'apply_patch_call_output')
    return ['completed', 'failed'].includes(String(item.status)) ? [] : ['no status'];
  if (item.type === 'computer_call_output') return typeof item.output === 'object' ? [] : ['no picture'];
  if (item.type === 'shell_call_output') return Array.isArray(item.output) ? [] : ['no list of outputs'];
  return typeof item.output === 'string' || Array.isArray(item.output) ? [] : ['no output'];
}
