/**
 * The closed list of ways in which a request can fail. http/problem.ts gives each kind one HTTP status.
 * A failure that fits none of them is a bug and becomes a 500.
 */
export type DomainErrorKind =
  | 'invalid' // 400: the caller sent something wrong
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'not_found' // 404
  | 'method_not_allowed' // 405
  | 'not_acceptable' // 406
  | 'timed_out' // 408: the request did not arrive in time
  | 'conflict' // 409
  | 'gone' // 410
  | 'too_large' // 413
  | 'unsupported_media' // 415
  | 'unprocessable' // 422: well-formed, but it contradicts what is stored
  | 'rate_limited' // 429
  | 'upstream' // 502: a platform refused
  | 'unavailable' // 503: try again later
  | 'storage_full'; // 507

/** One faulty field: `path` in the caller's own terms (`events[0].data.step_index`), `detail` says what was expected. */
export interface FieldFault {
  path: string;
  detail: string;
}

export interface DomainErrorOptions {
  /** The faulty fields, if the fault is in the caller's input. */
  errors?: readonly FieldFault[];
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Whether callers expect it in normal operation, such as polls and a new agent's first question; then it is logged at debug level. */
  isExpected?: boolean;
  /** Further members of the problem document; never secrets. */
  extensions?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected failure: `code` is stable and for programs, `message` is for people. */
export class DomainError extends Error {
  readonly errors: readonly FieldFault[];
  readonly retryAfterSeconds?: number;
  readonly isExpected: boolean;
  readonly extensions: Record<string, unknown>;

  constructor(
    readonly kind: DomainErrorKind,
    readonly code: string,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DomainError';
    this.errors = options.errors ?? [];
    this.isExpected = options.isExpected ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extensions = options.extensions ?? {};
  }
}

/** The most faults that a response names, except for event batches, whose senders look up each event. */
export const MAX_FAULTS = 20;

/** A 400 that names one field. */
export function invalidField(path: string, detail: string): DomainError {
  return new DomainError('invalid', 'invalid_request', `${path}: ${detail}`, { errors: [{ path, detail }] });
}
