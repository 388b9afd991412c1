import type { JsonObject } from './json-text.js';
import type { LogDraft } from './log-draft.js';

/** A line of a Claude Code session without a message: a title, a mode, a snapshot of files. Lines with a message are read as messages. */
export function readSessionLine(line: JsonObject): LogDraft[] | undefined {
  if (typeof line.type !== 'string' || 'message' in line || 'role' in line) return undefined;
  return isOfSession(line) ? [] : undefined;
}

/** Linked lines may have content of their own; the others name what they belong to. */
function isOfSession(line: JsonObject): boolean {
  if ('content' in line || 'parts' in line) return 'parentUuid' in line && isText(line.sessionId);
  return isText(line.sessionId) || isText(line.leafUuid) || (isText(line.messageId) && 'snapshot' in line);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
