import { STATUS_CODES, type ServerResponse } from 'node:http';
import { HttpException } from '@nestjs/common';
import { DomainError, MAX_FAULTS, type DomainErrorKind, type FieldFault } from '../common/domain-error.js';
import { writeHead } from './response-head.js';

export type ProblemLevel = 'debug' | 'info' | 'warn' | 'error';

/** A failure in the format of RFC 9457, with its headers and log level. */
export interface Problem {
  status: number;
  code: string;
  /** Level of its log line. */
  level: ProblemLevel;
  headers: Record<string, string>;
  document: ProblemDocument;
}

/** The members of an `application/problem+json` document. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Path of the request, without its query. */
  instance?: string;
  /** Stable, for programs. */
  code: string;
  errors?: readonly FieldFault[];
  [extension: string]: unknown;
}

/** The only place that assigns a status to each kind of failure. */
const KINDS: Record<DomainErrorKind, { status: number; level: ProblemLevel }> = {
  invalid: { status: 400, level: 'info' },
  unauthenticated: { status: 401, level: 'info' },
  forbidden: { status: 403, level: 'info' },
  not_found: { status: 404, level: 'info' },
  method_not_allowed: { status: 405, level: 'info' },
  not_acceptable: { status: 406, level: 'info' },
  timed_out: { status: 408, level: 'info' },
  conflict: { status: 409, level: 'info' },
  gone: { status: 410, level: 'info' },
  too_large: { status: 413, level: 'info' },
  unsupported_media: { status: 415, level: 'info' },
  unprocessable: { status: 422, level: 'info' },
  rate_limited: { status: 429, level: 'info' },
  upstream: { status: 502, level: 'warn' },
  unavailable: { status: 503, level: 'warn' },
  storage_full: { status: 507, level: 'error' },
};

/** Codes of the framework's errors, by status. */
const FRAMEWORK_CODES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'unsupported_content_type',
  431: 'headers_too_large',
  503: 'unavailable',
};

export const INVALID_PATH = 'The path is not valid percent-encoding.';

export function problemOf(error: unknown): Problem {
  if (error instanceof DomainError) return problemOfDomainError(error);
  if (error instanceof HttpException && error.getStatus() < 500) {
    if (error.cause instanceof URIError) return problem(400, 'invalid_path', INVALID_PATH, 'info');
    const status = error.getStatus();
    return problem(status, FRAMEWORK_CODES[status] ?? `http_${status}`, error.message, 'info');
  }
  return problem(500, 'internal_error', 'Something went wrong inside the server. The log tells more.', 'error');
}

/** A problem without an error object. */
export function problem(status: number, code: string, detail: string, level: ProblemLevel): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  const document = { type: `urn:waystation:problem:${code}`, title, status, detail, code };
  return { status, code, level, document, headers: status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {} };
}

/** The response must not have begun. */
export function sendProblem(response: ServerResponse, { status, headers, document }: Problem, instance: string): void {
  const { type, title, status: _status, detail, code, ...rest } = document;
  const body = JSON.stringify({ type, title, status, detail, instance, code, ...rest });
  response.statusCode = status;
  const own = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  writeHead(response, Object.entries({ ...own, ...headers }).flat());
  response.end(body);
}

function problemOfDomainError(error: DomainError): Problem {
  const { status, level } = KINDS[error.kind];
  const made = problem(status, error.code, error.message, error.isExpected ? 'debug' : level);
  const errors = error.code === 'invalid_request' ? error.errors.slice(0, MAX_FAULTS) : error.errors;
  Object.assign(made.document, error.extensions, errors.length > 0 ? { errors } : {});
  if (error.retryAfterSeconds !== undefined) made.headers['Retry-After'] = String(Math.ceil(error.retryAfterSeconds));
  const { allow } = error.extensions;
  if (error.kind === 'method_not_allowed' && Array.isArray(allow)) made.headers['Allow'] = allow.join(', ');
  return made;
}
