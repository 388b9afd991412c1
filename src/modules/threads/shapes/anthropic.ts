import { type JsonObject, idOf, isObject, listOf, textOf } from './json-text.js';
import type { LogDraft, ProseKind, ToolResultDraft } from './log-draft.js';
import { DraftList, HIDDEN_THINKING, contentText, readPart } from './prose.js';
import { roleOf } from './role.js';
import { isFailure, readToolCall, readToolCalls } from './tool-drafts.js';

const THINKING_TYPES = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/**
 * Messages of Anthropic's Messages API, recognised by a content block that no other API has (thinking, tool use, tool result); without one
 * they read like a chat message. Also accepts a bare block.
 */
export function readAnthropicMessage(message: JsonObject): LogDraft[] | undefined {
  const isBareBlock = typeof message.role !== 'string' && message.type !== 'reasoning' && isSpecialBlock(message);
  if (isBareBlock) return readBlocks('assistant', [message]);
  const blocks = listOf(message.content);
  if (!blocks.some(isSpecialBlock)) return undefined;
  const drafts = readBlocks(proseKindOf(message), blocks);
  return [...drafts, ...repeatedCalls(message, drafts)];
}

function readBlocks(kind: ProseKind, blocks: unknown[]): LogDraft[] {
  const list = new DraftList();
  for (const block of blocks) {
    if (!isObject(block) || !isSpecialBlock(block)) list.addPiece(kind, readPart(block));
    else if (isThinking(block)) list.addPiece('thinking', { text: thoughtOf(block), isProse: false });
    else if (isToolUse(block)) list.add(readToolCall(block));
    else list.add(readToolResult(block));
  }
  return list.drafts;
}

/** LangChain keeps the blocks and lists their calls again in `tool_calls`. */
function repeatedCalls(message: JsonObject, drafts: LogDraft[]): LogDraft[] {
  const known = new Set(drafts.map((draft) => (draft.kind === 'tool_call' ? draft.id : undefined)));
  return readToolCalls(message.tool_calls).filter((call) => !known.has(call.id));
}

function readToolResult(block: JsonObject): ToolResultDraft {
  const { content } = block;
  const id = idOf(block.tool_use_id);
  // The server's own tools fail with a content of `{"type": "web_search_tool_result_error", "error_code": ...}`.
  const isServerError = isObject(content) && (textOf(content.type) ?? '').endsWith('_error');
  return {
    kind: 'tool_result',
    callIds: id === undefined ? [] : [id],
    name: textOf(block.name),
    isError: isServerError || isFailure(block),
    message: contentText(content),
  };
}

function thoughtOf(block: JsonObject): string {
  // Mistral writes the thought as a list of text parts.
  const thought = Array.isArray(block.thinking) ? contentText(block.thinking) : textOf(block.thinking);
  return thought || textOf(block.text) || HIDDEN_THINKING;
}

function proseKindOf(message: JsonObject): ProseKind {
  const role = roleOf(message) ?? 'assistant';
  return role === 'tool' ? 'user' : role;
}

function isSpecialBlock(block: unknown): boolean {
  return isObject(block) && (isThinking(block) || isToolUse(block) || isToolResult(block));
}

function isThinking(block: JsonObject): boolean {
  return THINKING_TYPES.has(textOf(block.type) ?? '');
}

/** `tool_use`, `server_tool_use`, `mcp_tool_use`. */
function isToolUse(block: JsonObject): boolean {
  return /(^|_)tool_use$/.test(textOf(block.type) ?? '');
}

/** `tool_result`, `mcp_tool_result`, `web_search_tool_result` and the like. */
function isToolResult(block: JsonObject): boolean {
  return /(^|_)tool_result$/.test(textOf(block.type) ?? '');
}
