import { createHash } from 'node:crypto';
import { DomainError, invalidField } from '../domain-error.js';
import { idFault } from '../id-fault.js';
import { JsonScanner } from '../json-scanner.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** The body of a request that starts a run: to a webhook, an agent's `/invoke`, or the API's `invoke`. */
export interface StartBody {
  message: string;
  /** Null opens a new thread. */
  threadId: string | null;
  /** Exact JSON of an object: numbers that JavaScript would round stay unchanged. */
  context: string | null;
}

/**
 * Reads `{message, thread_id?, context?}`; null counts as absent, and other members are ignored.
 * @param body the parsed value of `raw`
 * @throws DomainError `invalid` that names the field
 */
export function startBodyOf(body: unknown, raw: Buffer): StartBody {
  if (!isObject(body)) throw invalidField('body', 'must be a JSON object with the message for the agent');
  return { message: readMessage(body), threadId: readThreadId(body), context: readContext(body, raw) };
}

/**
 * The Idempotency-Key header; null if there is none.
 * @throws DomainError `invalid`
 */
export function readIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined || KEY.test(key)) return key ?? null;
  const detail = 'must be 1 to 255 printable ASCII characters';
  const errors = [{ path: 'Idempotency-Key', detail }];
  throw new DomainError('invalid', 'invalid_idempotency_key', `Idempotency-Key: ${detail}`, { errors });
}

/** Identifies the content of a request. @param body as the caller sent it, with the caller's own thread id */
export function startDigestOf({ message, threadId, context }: StartBody): string {
  return createHash('sha256')
    .update(JSON.stringify([message, threadId, context]))
    .digest('hex');
}

function readMessage({ message }: Record<string, unknown>): string {
  if (message === undefined || message === null) throw invalidField('message', 'is missing');
  if (typeof message !== 'string') throw invalidField('message', 'must be a string');
  if (message.trim() === '') throw invalidField('message', 'must not be empty');
  // The program also gets it in an environment variable, which cannot contain this character.
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

/** The text of a member of a JSON object; of duplicates the last, as in JSON.parse. */
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
