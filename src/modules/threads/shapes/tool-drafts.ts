import type { ToolCallDraft } from './log-draft.js';
import { type JsonObject, compactJson, firstPresent, idOf, isObject, isPresent, textOf } from './json-text.js';

const FAILED_STATUS = new Set(['error', 'failed']);

/** The calls of a `tool_calls` list in any of its shapes; anything but a list counts as one call. */
export function readToolCalls(calls: unknown): ToolCallDraft[] {
  if (!isPresent(calls)) return [];
  return (Array.isArray(calls) ? calls : [calls]).map(readToolCall);
}

/** `{id, function: {name, arguments}}`, `{function, args}`, `{id, custom: {name, input}}`, `{name, arguments}` or `{id, name, input}`. */
export function readToolCall(call: unknown): ToolCallDraft {
  if (!isObject(call)) return { kind: 'tool_call', arguments: argumentsText(call) };
  const inner = [call.function, call.custom].find(isObject) ?? call;
  return {
    kind: 'tool_call',
    id: idOf(firstPresent(call.id, call.call_id, call.tool_call_id)),
    name: textOf(firstPresent(inner.name, call.name, call.function, call.tool_name)),
    arguments: argumentsText(firstPresent(inner.arguments, inner.args, inner.input, call.arguments, call.args)),
  };
}

/** Arguments that are already text stay as the model wrote them. */
export function argumentsText(value: unknown): string {
  if (!isPresent(value)) return '';
  return typeof value === 'string' ? value : compactJson(value);
}

/** Whether a tool result reports a failure. */
export function isFailure(result: JsonObject): boolean {
  if (result.is_error === true || result.isError === true) return true;
  return FAILED_STATUS.has(textOf(result.status) ?? '') || Boolean(result.error);
}
