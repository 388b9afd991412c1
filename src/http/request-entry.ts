import { requestContext } from '../common/request-context.js';
import { newId } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { AccessLog } from './access-log.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import type { HostCheck } from './host-check.js';
import type { HttpMetrics } from './http-metrics.js';
import { problemOf, sendProblem } from './problem.js';
import { checkTarget, pathOf } from './request-target.js';

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Handles every request before routing: its id, its log line, the target and host check. */
export class RequestEntry {
  private readonly accessLog: AccessLog;
  private readonly isTracing: boolean;

  /** `hostCheck` throws for foreign host names; without `metrics` nothing is counted. */
  constructor(
    private readonly hostCheck: Pick<HostCheck, 'check'>,
    logger: Logger,
    metrics: HttpMetrics | null = null,
  ) {
    // Tracking a request through its promises costs a tenth of the throughput, so it only happens at debug level. Log lines about requests
    // and their failures have the id at every level.
    this.isTracing = logger.isLevelEnabled('debug');
    this.accessLog = new AccessLog(logger, metrics);
  }

  /** Calls `goOn` in the request's context, or responds with a problem. */
  enter(request: ApiRequest, response: ApiResponse, goOn: () => void): void {
    request.requestId = requestIdOf(request);
    this.accessLog.follow(request, response);
    try {
      checkTarget(request);
      this.hostCheck.check(request);
    } catch (error) {
      const problem = problemOf(error);
      request.failure = { code: problem.code, level: problem.level };
      return sendProblem(response, problem, pathOf(request));
    }
    if (this.isTracing) requestContext.run({ requestId: request.requestId }, goOn);
    else goOn();
  }
}

function requestIdOf(request: ApiRequest): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}
