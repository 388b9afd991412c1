import type { Logger } from '../common/logger.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { pathOf } from './request-path.js';

/** Writes one line for each request when it is over: never its query, headers or body. */
export class AccessLog {
  constructor(private readonly logger: Logger) {}

  follow(request: ApiRequest, response: ApiResponse): void {
    const startedMs = performance.now();
    response.once('close', () => this.write(request, response, performance.now() - startedMs));
  }

  private write(request: ApiRequest, response: ApiResponse, tookMs: number): void {
    const { failure, policy } = request;
    const level = failure?.level ?? (policy?.isQuiet ? 'debug' : 'info');
    if (!this.logger.isLevelEnabled(level)) return;
    const fields = {
      request_id: request.requestId,
      method: request.method,
      path: pathOf(request),
      ...(response.headersSent ? { status: response.statusCode } : {}),
      duration_ms: Math.round(tookMs * 10) / 10,
      ...(failure ? { code: failure.code } : {}),
      ...(request.principal?.tokenId ? { token_id: request.principal.tokenId } : {}),
      ...(response.writableFinished ? {} : { is_cut_off: true }),
    };
    this.logger[level](fields, 'request');
  }
}
