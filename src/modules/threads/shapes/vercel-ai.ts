import { type JsonObject, firstPresent, idOf, isObject, isPresent, listOf, textOf } from './json-text.js';
import type { LogDraft, ProseKind, ToolCallDraft, ToolResultDraft } from './log-draft.js';
import { contentText, DraftList, HIDDEN_THINKING, readPart } from './prose.js';
import { roleOf } from './role.js';
import { argumentsText } from './tool-drafts.js';

const CALL_PARTS = new Set(['tool-call', 'tool-result', 'tool-error', 'tool-invocation', 'dynamic-tool']);

/**
 * Messages of the Vercel AI SDK: model messages, recognised by a part of `content` like `tool-call`, and UI messages, whose `parts` have a
 * `type` (Gemini's have none). Undefined for anything else.
 * Source: https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message and ui-message.
 */
export function readVercelMessage(message: JsonObject): LogDraft[] | undefined {
  const parts = listOf(firstPresent(message.parts, message.content));
  const isOfInterface = Array.isArray(message.parts);
  if (!parts.some(isOfInterface ? hasType : isCallPart)) return undefined;
  const role = roleOf({ role: message.role }) ?? 'assistant';
  const kind = role === 'tool' ? 'user' : role;
  const list = new DraftList();
  for (const part of parts) addPart(list, kind, part);
  return list.drafts.length > 0 ? list.drafts : [{ kind, level: 'info', message: '' }];
}

function addPart(list: DraftList, kind: ProseKind, part: unknown): void {
  if (!isObject(part)) return list.addPiece(kind, readPart(part));
  const type = textOf(part.type) ?? '';
  if (type === 'step-start') return;
  if (isCallPart(part)) for (const draft of readCallPart(type, part)) list.add(draft);
  else if (type === 'reasoning') {
    const text = textOf(firstPresent(part.text, part.reasoning)) ?? HIDDEN_THINKING;
    list.addPiece('thinking', { text, isProse: true });
  } else if (type === 'source-url')
    list.addPiece(kind, {
      text: [part.title, part.url].flatMap((text) => textOf(text) ?? []).join(' '),
      isProse: false,
    });
  else list.addPiece(kind, readPart(part));
}

function readCallPart(type: string, part: JsonObject): LogDraft[] {
  const call = isObject(part.toolInvocation) ? part.toolInvocation : part;
  const name = textOf(call.toolName) ?? (CALL_PARTS.has(type) ? undefined : type.slice('tool-'.length));
  const drafts: LogDraft[] = type === 'tool-result' || type === 'tool-error' ? [] : [callDraft(name, call)];
  const result = resultDraft(type, name, call);
  return result ? [...drafts, result] : drafts;
}

function callDraft(name: string | undefined, call: JsonObject): ToolCallDraft {
  return {
    kind: 'tool_call',
    id: idOf(call.toolCallId),
    name,
    arguments: argumentsText(firstPresent(call.input, call.args)),
  };
}

function resultDraft(type: string, name: string | undefined, call: JsonObject): ToolResultDraft | undefined {
  const error = firstPresent(call.errorText, call.error);
  const output = firstPresent(error, call.output, call.result);
  if (!isPresent(output) && type !== 'tool-result') return undefined;
  const id = idOf(call.toolCallId);
  const outputType = isObject(output) ? (textOf(output.type) ?? '') : '';
  return {
    kind: 'tool_result',
    callIds: id === undefined ? [] : [id],
    name,
    isError: isPresent(error) || call.isError === true || outputType.startsWith('error-'),
    message: outputText(output),
  };
}

/** Newer model messages wrap a tool's output: `{"type": "text" | "json" | "error-text" | "error-json" | "content", "value": ...}`. */
function outputText(output: unknown): string {
  const isWrapped = isObject(output) && typeof output.type === 'string' && 'value' in output;
  return contentText(isWrapped ? output.value : output);
}

function isCallPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const type = textOf(part.type) ?? '';
  if (isObject(part.toolInvocation)) return type === 'tool-invocation';
  return (CALL_PARTS.has(type) || type.startsWith('tool-')) && isPresent(part.toolCallId);
}

function hasType(part: unknown): boolean {
  return isObject(part) && typeof part.type === 'string';
}
