import { type JsonObject, compactJson, firstPresent, idOf, isObject, isPresent, textOf } from './json-text.js';
import type { LogDraft, ProseKind, ToolResultDraft } from './log-draft.js';
import { DraftList, mediaLabel, readPart } from './prose.js';
import { roleOf } from './role.js';
import { argumentsText, isFailure, readToolCall } from './tool-drafts.js';

/** The tool behind `executableCode`, as Gemini names it in requests. */
const CODE_TOOL = 'code_execution';

/** Contents of the Gemini API; the Python library writes the same names in snake case. Undefined for anything else. */
export function readGeminiContent(content: JsonObject): LogDraft[] | undefined {
  const { parts } = content;
  if (!Array.isArray(parts) || isPresent(content.content)) return undefined;
  const role = roleOf(content);
  if (role === undefined && !parts.some(isKnownPart)) return undefined;
  // A content without a role is the user's; `function` and `tool` bring results, and text only by mistake.
  const kind = role === undefined || role === 'tool' ? 'user' : role;
  const list = new DraftList();
  for (const part of parts) addPart(list, kind, part);
  return list.drafts.length > 0 ? list.drafts : [{ kind, level: 'info', message: '' }];
}

function addPart(list: DraftList, kind: ProseKind, part: unknown): void {
  if (!isObject(part)) return list.addPiece(kind, readPart(part));
  const media = mediaOf(part);
  const tool = toolDraft(part);
  if (tool !== undefined) list.add(tool);
  else if (media !== undefined) list.addPiece(kind, { text: media, isProse: false });
  else list.addPiece(part.thought === true ? 'thinking' : kind, readPart(part));
}

function toolDraft(part: JsonObject): LogDraft | undefined {
  const call = firstPresent(part.functionCall, part.function_call);
  if (isPresent(call)) return readToolCall(call);
  const response = firstPresent(part.functionResponse, part.function_response);
  if (isObject(response)) return readFunctionResponse(response);
  const code = firstPresent(part.executableCode, part.executable_code);
  if (isObject(code)) return { kind: 'tool_call', name: CODE_TOOL, arguments: argumentsText(code.code) };
  const result = firstPresent(part.codeExecutionResult, part.code_execution_result);
  return isObject(result) ? readCodeResult(result) : undefined;
}

function readFunctionResponse(call: JsonObject): ToolResultDraft {
  const { response } = call;
  const id = idOf(call.id);
  return {
    kind: 'tool_result',
    callIds: id === undefined ? [] : [id],
    name: textOf(call.name),
    isError: isObject(response) && isFailure(response),
    message: responseText(response),
  };
}

/** Gemini only accepts objects, so a tool's text comes wrapped under `output` or `error`, as its documentation advises. */
function responseText(response: unknown): string {
  if (!isObject(response)) return argumentsText(response);
  const [first, ...rest] = Object.keys(response);
  const isWrapped = rest.length === 0 && ['output', 'result', 'error'].includes(first ?? '');
  const wrapped = isWrapped ? response[first ?? ''] : undefined;
  return typeof wrapped === 'string' ? wrapped : compactJson(response);
}

function readCodeResult(result: JsonObject): ToolResultDraft {
  const outcome = textOf(result.outcome) ?? 'OUTCOME_OK';
  return {
    kind: 'tool_result',
    callIds: [],
    name: CODE_TOOL,
    isError: outcome !== 'OUTCOME_OK' && outcome !== 'OUTCOME_UNSPECIFIED',
    message: argumentsText(result.output),
  };
}

function mediaOf(part: JsonObject): string | undefined {
  const data = firstPresent(part.inlineData, part.inline_data, part.fileData, part.file_data);
  return isObject(data) ? mediaLabel(firstPresent(data.mimeType, data.mime_type)) : undefined;
}

function isKnownPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  return typeof part.text === 'string' || toolDraft(part) !== undefined || mediaOf(part) !== undefined;
}
