import { invalidField } from '../../../common/domain-error.js';
import { parseJsonBody } from '../../../http/body/json-body.js';
import { idFault } from '../definition/agent-reader.js';

/** What the body of a webhook or of `/invoke` says. */
export interface StartBody {
  message: string;
  /** Null opens a thread of its own. */
  threadId: string | null;
  context: Record<string, unknown> | null;
}

/**
 * Reads `{message, thread_id?, context?}`; null counts as absent, and what else there is does not matter.
 * @throws DomainError `invalid` that names the field.
 */
export function readStartBody(raw: Buffer): StartBody {
  const body = parseJsonBody(raw);
  if (!isObject(body)) throw invalidField('body', 'must be a JSON object with the message for the agent');
  return { message: readMessage(body), threadId: readThreadId(body), context: readContext(body) };
}

function readMessage({ message }: Record<string, unknown>): string {
  if (message === undefined || message === null) throw invalidField('message', 'is missing');
  if (typeof message !== 'string') throw invalidField('message', 'must be a string');
  if (message.trim() === '') throw invalidField('message', 'must not be empty');
  // The program gets it in its environment, too, where there is no such character.
  if (message.includes('\0')) throw invalidField('message', 'must not have a zero character');
  return message;
}

function readThreadId({ thread_id: threadId }: Record<string, unknown>): string | null {
  if (threadId === undefined || threadId === null) return null;
  if (typeof threadId !== 'string') throw invalidField('thread_id', 'must be a string');
  const fault = idFault(threadId);
  if (fault !== null) throw invalidField('thread_id', fault);
  return threadId;
}

function readContext({ context }: Record<string, unknown>): Record<string, unknown> | null {
  if (context === undefined || context === null) return null;
  if (!isObject(context)) throw invalidField('context', 'must be an object');
  return context;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
