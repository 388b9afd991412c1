import { type JsonObject, compactJson, cutText, isObject } from './json-text.js';
import type { LogDraft } from './log-draft.js';
import { readAnthropicMessage } from './anthropic.js';
import { readSessionLine } from './claude-session.js';
import { readGeminiContent } from './gemini.js';
import { readOpenAiChatMessage } from './openai-chat.js';
import { readOpenAiResponsesItem } from './openai-responses.js';
import { readVercelMessage } from './vercel-ai.js';

type ShapeReader = (message: JsonObject) => LogDraft[] | undefined;

/**
 * The first reader that recognises a message reads it, so specific ones come first: an Anthropic message has `type: "message"` like a
 * Responses item, and both have `role` and `content` like a chat message.
 */
const READERS: ShapeReader[] = [
  readSessionLine,
  readVercelMessage,
  readAnthropicMessage,
  readOpenAiResponsesItem,
  readGeminiContent,
  readOpenAiChatMessage,
];

/** The parts of a message of any shape; empty if it is not a message. An unknown shape becomes its JSON text. */
export function readMessage(value: unknown): LogDraft[] {
  const message = isObject(value) ? unwrap(value) : value;
  const drafts = isObject(message) ? readKnownShape(message) : undefined;
  return drafts ?? [unknownDraft(value)];
}

export function unknownDraft(value: unknown): LogDraft {
  return { kind: 'event', level: 'info', message: cutText(typeof value === 'string' ? value : compactJson(value)) };
}

function readKnownShape(message: JsonObject): LogDraft[] | undefined {
  for (const read of READERS) {
    const drafts = read(message);
    if (drafts !== undefined) return drafts;
  }
  return undefined;
}

/**
 * Unwraps a message: a chat completion's choice and an event of Anthropic's agent library have it under `message`, a Gemini candidate under
 * `content`.
 */
function unwrap(value: JsonObject): JsonObject {
  const { message, content } = value;
  if (isObject(message) && typeof message.role === 'string' && !('role' in value)) return message;
  if (isObject(content) && Array.isArray(content.parts) && !('role' in value)) return content;
  return value;
}
