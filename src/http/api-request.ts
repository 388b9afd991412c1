import type { Request, Response } from 'express';
import type { Principal } from '../common/principal.js';
import type { BudgetedRequest } from './body/body-reader.js';
import type { ProblemLevel } from './problem.js';
import type { RoutePolicy } from './route-policy.js';

/** What this folder's layers store on a request. */
export interface ApiRequest extends Request, Pick<BudgetedRequest, 'bodyShare'> {
  /** Correlation id, the caller's own or a new one. */
  requestId: string;
  /** Whether its response already has the common headers. */
  hasCommonHeaders?: boolean;
  /** The rules of its route; absent until the guard has run. */
  policy?: RoutePolicy;
  /** The caller; absent on public routes. */
  principal?: Principal;
  /** Looks up the caller's token again; absent if it can neither be revoked nor expire. Throws as `Authenticator` does. */
  isStillAdmitted?: () => Promise<boolean>;
  /**
   * Calls the listener when the caller's token or session, or one it depends on, is revoked; absent as above. Returns an unsubscribe
   * function.
   */
  onRevoked?: (listener: () => void) => () => void;
  /** Throws as for an unknown thread once the caller no longer sees the address's thread; absent for a caller who sees all. */
  assertVisible?: () => Promise<void>;
  /** Whether the whole body had arrived when the token was looked up, so that the token was valid until the last byte. */
  hadArrived?: boolean;
  /** The decompressed bytes of the body on routes with `@RawBody`. */
  rawBody?: Buffer;
  /** The lines or bytes of the body on routes that read it themselves. */
  bodyStream?: AsyncGenerator<Buffer>;
  /** Whether a guard has authenticated a caller without a principal: unknown callers have a separate budget. */
  isProven?: boolean;
  /** What went wrong, for the request's log line. */
  failure?: { code: string; level: ProblemLevel };
}

export type ApiResponse = Response;
