import type { Request, Response } from 'express';
import type { Principal } from '../common/principal.js';
import type { BodyShare } from './body/body-budget.js';
import type { ProblemLevel } from './problem.js';
import type { RoutePolicy } from './route-policy.js';

/** What the layers of this folder note on a request. */
export interface ApiRequest extends Request {
  /** Correlation id, the caller's own or a new one. */
  requestId: string;
  /** The rules of the route that serves it; absent until the guard has run. */
  policy?: RoutePolicy;
  /** The caller; absent on public routes. */
  principal?: Principal;
  /** Asks the storage once more for the caller's token; absent where it can be neither revoked nor expire. Throws as `Authenticator` does. */
  isStillAdmitted?: () => Promise<boolean>;
  /** Whether all of it had arrived when the caller's token was looked up, so that the token was good until the last byte. */
  hadArrived?: boolean;
  /** The decompressed bytes of the body on routes with `@RawBody`. */
  rawBody?: Buffer;
  /** What the body holds of the budget of bodies, until the response is closed or somebody takes it over. */
  bodyShare?: BodyShare;
  /** Whether a guard knows the caller although there is no principal: what strangers send has a budget of its own. */
  isProven?: boolean;
  /** What went wrong, for the request's line in the log. */
  failure?: { code: string; level: ProblemLevel };
}

export type ApiResponse = Response;
