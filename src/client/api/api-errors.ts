import { objectOf } from '../../common/json-fields.js';
import { parsedJson } from '../../common/parsed-json.js';
import { ApiRefusalError } from '../latest-reader.js';
import type { components } from './openapi.gen.js';

/** The server's problem document for a refused request (RFC 9457). */
export type ProblemDetails = components['schemas']['ProblemDto'] & {
  /** Some problem types add members. */
  [member: string]: unknown;
};

const UNEXPECTED = 'unexpected_answer';

/** The server refused a request. The message is the server's. */
export class ApiProblemError extends ApiRefusalError {
  constructor(readonly problem: ProblemDetails) {
    super(problem.status, problem.detail);
    this.name = 'ApiProblemError';
  }

  /** A stable code for programs, such as `not_found`. */
  get code(): string {
    return this.problem.code;
  }

  /** False if something else answered, such as a proxy while the server restarts. */
  get isFromServer(): boolean {
    return this.code !== UNEXPECTED;
  }

  /** The invalid fields; empty if the problem is not about fields. */
  get errors(): NonNullable<ProblemDetails['errors']> {
    return this.problem.errors ?? [];
  }
}

/** No server answered in time. The request may have taken effect all the same. */
export class NoAnswerError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} does not answer`, { cause });
    this.name = 'NoAnswerError';
  }
}

/** @param text of the response; a proxy's may not be a problem document */
export function problemOf(status: number, text: string): ApiProblemError {
  const body = objectOf(parsedJson(text));
  if (typeof body?.detail === 'string' && typeof body.code === 'string') {
    return new ApiProblemError({ ...(body as ProblemDetails), status });
  }
  const [type, title, code] = ['about:blank', 'Unexpected answer', UNEXPECTED];
  return new ApiProblemError({ type, title, status, code, detail: `the answer has status ${status}` });
}
