import { Counter, Histogram } from 'prom-client';
import { LATENCY_BUCKETS, type Metrics } from '../common/metrics/metrics.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const STATUS_CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Counts requests by route, method and class of status. The route is the pattern, never the path: ids would create endless series. */
export class HttpMetrics {
  private readonly requests = new Counter({
    name: 'waystation_http_requests_total',
    help: 'Finished requests, by route, method and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [],
  });
  private readonly seconds = new Histogram({
    name: 'waystation_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer; streams and waiting requests count with their whole duration.',
    labelNames: ['method', 'route'],
    buckets: LATENCY_BUCKETS,
    registers: [],
  });

  constructor(metrics: Metrics) {
    metrics.add(this.requests, this.seconds);
  }

  observe(request: ApiRequest, response: ApiResponse, tookMs: number): void {
    const route = patternOf(request);
    const method = METHODS.has(request.method) ? request.method : 'other';
    const status = STATUS_CLASSES[response.headersSent ? Math.floor(response.statusCode / 100) : 0] ?? 'other';
    this.requests.inc({ method, route, status });
    this.seconds.observe({ method, route }, tookMs / 1000);
  }
}

/** Absent if the request reached no route of ours: unknown paths, refused hosts, files of the documentation. */
function patternOf(request: ApiRequest): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : 'other';
}
