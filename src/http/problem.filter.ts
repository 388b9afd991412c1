import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Logger } from '../common/logger.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { ClientGone } from './body/body.errors.js';
import { DISCARD_LIMIT_BYTES } from './body/collect-body.js';
import { problemOf, sendProblem } from './problem.js';
import { pathOf } from './request-target.js';

/** Responds to every failure, whatever its source, with one problem document. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<ApiRequest>(), http.getResponse<ApiResponse>());
  }

  /** Responds to a failed request, unless its caller is gone. */
  respond(error: unknown, request: ApiRequest, response: ApiResponse): void {
    // Nobody is left to respond to; the request's log line says that it was cut off.
    if (error instanceof ClientGone) {
      response.destroy();
      return;
    }
    const problem = problemOf(error);
    request.failure = { code: problem.code, level: problem.level };
    if (problem.level === 'error') {
      this.logger.error({ err: error, request_id: request.requestId, path: pathOf(request) }, 'request failed');
    }
    // Half a response cannot be taken back: cutting it off at least shows the caller that it is incomplete.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    dropPreparedHeaders(response);
    if (isMuchLeftToRead(request)) response.setHeader('Connection', 'close');
    sendProblem(response, problem, pathOf(request));
  }
}

/** Headers that a handler had set for a response it did not send. */
function dropPreparedHeaders(response: ApiResponse): void {
  for (const name of ['ETag', 'Cache-Control', 'Content-Encoding', 'Transfer-Encoding', 'Location'])
    response.removeHeader(name);
}

function isMuchLeftToRead(request: ApiRequest): boolean {
  return !request.complete && Number(request.headers['content-length'] ?? 0) > DISCARD_LIMIT_BYTES;
}
