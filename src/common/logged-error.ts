import { pino } from 'pino';
import { DomainError } from './domain-error.js';
import { errorCode } from './error-code.js';
import { OutsideError } from './outside-error.js';

/** Codes of operating systems, connections and full or locked databases; those of Node's own API (`ERR_…`) are bugs. */
const OUTSIDE =
  /^(E(?!RR_)[A-Z0-9]+|UND_ERR_\w+|SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY)|(08|53|57|58)\w{3})$/;
/** Messages of node-postgres that come without a code. */
const LOST_CONNECTION = /^(connection terminated|query read timeout|timeout exceeded when trying to connect)/i;
const MAX_CAUSES = 5;

/** An error as it is logged. Failures outside the program have no stack, because it would only show the caller. */
export function loggedError(error: Error): Record<string, unknown> {
  const facts = pino.stdSerializers.err(error);
  if (!isOutside(error)) return { ...facts };
  const { type, message } = facts;
  return { type, message: message === '' ? errorCode(error) : message };
}

function isOutside(error: unknown): boolean {
  for (let [at, depth] = [error, 0]; at instanceof Error && depth < MAX_CAUSES; [at, depth] = [at.cause, depth + 1]) {
    if (at instanceof DomainError || at instanceof OutsideError) return true;
    if (OUTSIDE.test(errorCode(at) ?? '') || LOST_CONNECTION.test(at.message)) return true;
  }
  return false;
}
