import { createHash } from 'node:crypto';
import { DomainError, invalidField } from '../domain-error.js';
import { idFault } from '../id-fault.js';
import { JsonScanner } from '../json-scanner.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** What a body says that starts a run: at a webhook, at `/invoke` of an agent, or at the API's own `invoke`. */
export interface StartBody {
  message: string;
  /** Null opens a thread of its own. */
  threadId: string | null;
  /** Exact JSON of an object: numbers that JavaScript would round stay as they were sent. */
  context: string | null;
}

/**
 * Reads `{message, thread_id?, context?}`; null counts as absent, and what else there is does not matter.
 * @param body the value of `raw`
 * @throws DomainError `invalid` that names the field.
 */
export function startBodyOf(body: unknown, raw: Buffer): StartBody {
  if (!isObject(body)) throw invalidField('body', 'must be a JSON object with the message for the agent');
  return { message: readMessage(body), threadId: readThreadId(body), context: readContext(body, raw) };
}

/**
 * The header Idempotency-Key; null if there is none.
 * @throws DomainError `invalid`
 */
export function readIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined || KEY.test(key)) return key ?? null;
  const detail = 'must be 1 to 255 printable ASCII characters';
  const errors = [{ path: 'Idempotency-Key', detail }];
  throw new DomainError('invalid', 'invalid_idempotency_key', `Idempotency-Key: ${detail}`, { errors });
}

/** Tells what is asked for from what others ask for. @param body as the caller sent it, with the thread that it names itself */
export function startDigestOf({ message, threadId, context }: StartBody): string {
  return createHash('sha256')
    .update(JSON.stringify([message, threadId, context]))
    .digest('hex');
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

function readContext({ context }: Record<string, unknown>, raw: Buffer): string | null {
  if (context === undefined || context === null) return null;
  if (!isObject(context)) throw invalidField('context', 'must be an object');
  return memberText(raw, 'context');
}

/** The text of a member of the object that the body is known to be; of several with the name the last, as JSON.parse has it. */
function memberText(raw: Buffer, wanted: string): string | null {
  const scanner = new JsonScanner(raw, { from: raw.indexOf('{') });
  let text: string | null = null;
  scanner.members((name) => {
    const [from, to] = scanner.value();
    if (name === wanted) text = raw.toString('utf8', from, to);
  });
  return text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
