import { type JsonObject, firstPresent, idOf, isObject, isPresent, listOf, textOf } from './json-text.js';
import type { LogDraft, ToolCallDraft, ToolResultDraft } from './log-draft.js';
import { HIDDEN_THINKING, contentText } from './prose.js';
import { argumentsText, isFailure } from './tool-drafts.js';
import { readOpenAiChatMessage } from './openai-chat.js';

/** Types of calls that carry the tool's name; all others are named after a tool that OpenAI hosts. */
const NAMED_CALLS = new Set(['function_call', 'custom_tool_call', 'tool_call', 'mcp_call']);

/** Items of OpenAI's Responses API, recognised by `type`. Undefined for anything else. */
export function readOpenAiResponsesItem(item: JsonObject): LogDraft[] | undefined {
  const type = textOf(item.type) ?? '';
  // Its parts (`input_text`, `output_text`) are read like those of a chat message.
  if (type === 'message') return readOpenAiChatMessage(item);
  if (type === 'reasoning') return [{ kind: 'thinking', level: 'info', message: reasoningText(item) }];
  if (type.endsWith('_call_output')) return [readOutput(item)];
  if (type.endsWith('_call')) return readCall(type, item);
  return undefined;
}

function reasoningText(item: JsonObject): string {
  const parts = [item.content, item.summary].find((list) => listOf(list).length > 0);
  return contentText(parts) || HIDDEN_THINKING;
}

function readOutput(item: JsonObject): ToolResultDraft {
  const id = idOf(firstPresent(item.call_id, item.id));
  return {
    kind: 'tool_result',
    callIds: id === undefined ? [] : [id],
    name: textOf(item.name),
    isError: isFailure(item),
    message: contentText(item.output),
  };
}

function readCall(type: string, item: JsonObject): LogDraft[] {
  const hostedName = NAMED_CALLS.has(type) ? undefined : type.slice(0, -'_call'.length);
  const call: ToolCallDraft = {
    kind: 'tool_call',
    id: idOf(firstPresent(item.call_id, item.id)),
    name: textOf(item.name) ?? hostedName,
    arguments: argumentsText(
      firstPresent(item.arguments, item.input, item.args, item.action, item.operation, item.queries, item.code),
    ),
  };
  const message = hostedResult(type, item);
  if (message === undefined) return [call];
  const callIds = call.id === undefined ? [] : [call.id];
  return [call, { kind: 'tool_result', callIds, name: call.name, isError: isFailure(item), message }];
}

/** Hosted tools have their result in the call's item. */
function hostedResult(type: string, item: JsonObject): string | undefined {
  if (type === 'image_generation_call') return isPresent(item.result) ? '[image]' : undefined;
  const error = isObject(item.error) ? (textOf(item.error.message) ?? item.error) : item.error;
  const result = firstPresent(error, item.output, item.outputs, item.results);
  return isPresent(result) ? contentText(result) : undefined;
}
