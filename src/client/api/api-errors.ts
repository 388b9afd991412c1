import { objectOf } from '../../common/json-fields.js';
import { parsedJson } from '../../common/parsed-json.js';
import { ApiRefusalError } from '../latest-reader.js';
import type { components } from './openapi.gen.js';

/** What the server said of a request that it refused (RFC 9457). */
export type ProblemDetails = components['schemas']['ProblemDto'] & {
  /** Some kinds have members of their own. */
  [member: string]: unknown;
};

/** The server refused a request. The message is its own sentence. */
export class ApiProblemError extends ApiRefusalError {
  constructor(readonly problem: ProblemDetails) {
    super(problem.status, problem.detail);
    this.name = 'ApiProblemError';
  }

  /** What went wrong, for programs, such as `not_found`. Stable. */
  get code(): string {
    return this.problem.code;
  }

  /** The invalid fields; empty if it is about none. */
  get errors(): NonNullable<ProblemDetails['errors']> {
    return this.problem.errors ?? [];
  }
}

/** No server answered, or not in time. What a request was to change may have changed. */
export class NoAnswerError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} does not answer`, { cause });
    this.name = 'NoAnswerError';
  }
}

/** @param text of the answer; a proxy's is no problem document */
export function problemOf(status: number, text: string): ApiProblemError {
  const body = objectOf(parsedJson(text));
  if (typeof body?.detail === 'string' && typeof body.code === 'string') {
    return new ApiProblemError({ ...(body as ProblemDetails), status });
  }
  const [type, title, code] = ['about:blank', 'Unexpected answer', 'unexpected_answer'];
  return new ApiProblemError({ type, title, status, code, detail: `the answer has status ${status}` });
}
