import type { Logger } from '../common/logger.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import type { HttpMetrics } from './http-metrics.js';
import { pathOf } from './request-target.js';

/** Logs one line per finished request, never its query, headers or body, and counts it. */
export class AccessLog {
  constructor(
    private readonly logger: Logger,
    private readonly metrics: HttpMetrics | null,
  ) {}

  follow(request: ApiRequest, response: ApiResponse): void {
    const startedMs = performance.now();
    response.on('close', () => {
      const tookMs = performance.now() - startedMs;
      this.metrics?.observe(request, response, tookMs);
      this.write(request, response, tookMs);
    });
  }

  private write(request: ApiRequest, response: ApiResponse, tookMs: number): void {
    const { failure, policy } = request;
    // A successful read is routine.
    const isRoutine = policy?.isQuiet === true || request.method === 'GET' || request.method === 'HEAD';
    const level = failure?.level ?? (isRoutine ? 'debug' : 'info');
    if (!this.logger.isLevelEnabled(level)) return;
    const fields = {
      request_id: request.requestId,
      method: request.method,
      path: pathOf(request),
      ...(response.headersSent ? { status: response.statusCode } : {}),
      duration_ms: Math.round(tookMs * 10) / 10,
      ...(failure ? { code: failure.code } : {}),
      ...(request.principal?.tokenId ? { token_id: request.principal.tokenId } : {}),
      ...(request.principal?.sessionId ? { session_id: request.principal.sessionId } : {}),
      ...(response.writableFinished ? {} : { is_cut_off: true }),
    };
    this.logger[level](fields, 'request');
  }
}
