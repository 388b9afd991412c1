import { type JsonObject, firstPresent, idOf, isObject, isPresent, listOf, textOf } from './json-text.js';
import type { LogDraft, ProseKind, ToolResultDraft } from './log-draft.js';
import { DraftList, contentText, readPart } from './prose.js';
import { roleOf } from './role.js';
import { isFailure, readToolCall, readToolCalls } from './tool-drafts.js';

/** A message with a known role but none of these has an unknown shape. */
const PAYLOAD_FIELDS = ['content', 'tool_calls', 'function_call', 'refusal', 'reasoning_content', 'audio'];

/**
 * Messages of OpenAI's chat completions and compatible servers, with the reasoning fields of DeepSeek (`reasoning_content`), OpenRouter
 * (`reasoning`) and Ollama (`thinking`). Undefined for anything else.
 */
export function readOpenAiChatMessage(message: JsonObject): LogDraft[] | undefined {
  const role = roleOf(message);
  if (role === undefined || !PAYLOAD_FIELDS.some((field) => field in message)) return undefined;
  return role === 'tool' ? [readToolMessage(message)] : readSpokenMessage(role, message);
}

function readSpokenMessage(kind: ProseKind, message: JsonObject): LogDraft[] {
  const list = new DraftList();
  const thought = [message.reasoning_content, message.reasoning, message.thinking].find(textOf);
  list.addPiece('thinking', readPart(thought ?? ''));
  addContent(list, kind, message.content);
  if (isObject(message.audio)) list.addPiece(kind, readPart(textOf(message.audio.transcript) ?? { type: 'audio' }));
  list.addPiece(kind, { text: textOf(message.refusal) ?? '', isProse: true, isRefusal: true });
  for (const call of readToolCalls(message.tool_calls)) list.add(call);
  if (isPresent(message.function_call)) list.add(readToolCall(message.function_call));
  return list.drafts.length > 0 ? list.drafts : [{ kind, level: 'info', message: '' }];
}

function addContent(list: DraftList, kind: ProseKind, content: unknown): void {
  if (Array.isArray(content)) for (const part of content) list.addPiece(kind, readPart(part));
  else if (isPresent(content)) list.addPiece(kind, readPart(content));
}

function readToolMessage(message: JsonObject): ToolResultDraft {
  const ids = [message.tool_call_id, ...listOf(message.tool_call_ids)].map(idOf);
  return {
    kind: 'tool_result',
    callIds: ids.filter((id) => id !== undefined),
    name: textOf(firstPresent(message.name, message.tool_name)),
    isError: isFailure(message),
    message: contentText(message.content),
  };
}
