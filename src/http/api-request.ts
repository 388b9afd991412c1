import type { Request, Response } from 'express';
import type { Principal } from '../common/principal.js';
import type { BudgetedRequest } from './body/body-reader.js';
import type { ProblemLevel } from './problem.js';
import type { RoutePolicy } from './route-policy.js';

/** The data that the layers of this folder store on a request. */
export interface ApiRequest extends Request, Pick<BudgetedRequest, 'bodyShare'> {
  /** Correlation id, the caller's own or a new one. */
  requestId: string;
  /** Whether the headers that every response has are set on its response. */
  hasCommonHeaders?: boolean;
  /** The rules of the route that serves it; absent until the guard has run. */
  policy?: RoutePolicy;
  /** The caller; absent on public routes. */
  principal?: Principal;
  /** Looks the caller's token up again; absent if it can neither be revoked nor expire. Throws as `Authenticator` does. */
  isStillAdmitted?: () => Promise<boolean>;
  /** Calls it when the caller's token or session, or what these hang on, was revoked; absent with it. Returns what stops that. */
  onRevoked?: (listener: () => void) => () => void;
  /** Fails as for an unknown thread once the caller does not see the one of the address; absent for a caller who sees all. */
  assertVisible?: () => Promise<void>;
  /** Whether the whole body had arrived when the caller's token was looked up, so that the token was valid until the last byte. */
  hadArrived?: boolean;
  /** The decompressed bytes of the body on routes with `@RawBody`. */
  rawBody?: Buffer;
  /** The lines of the body on routes that read it themselves. */
  bodyLines?: AsyncGenerator<Buffer>;
  /** Whether a guard knows the caller although there is no principal: unknown callers have a separate budget. */
  isProven?: boolean;
  /** What went wrong, for the request's line in the log. */
  failure?: { code: string; level: ProblemLevel };
}

export type ApiResponse = Response;
