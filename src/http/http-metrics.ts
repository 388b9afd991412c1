import { LATENCY_BUCKETS, type Metrics, type Reading } from '../common/metrics/metrics.js';
import { SeriesHistogram, type HistogramSeries } from '../common/metrics/series-histogram.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const STATUS_CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const OTHER = 'other';

interface Endpoint {
  method: string;
  route: string;
  seconds: HistogramSeries;
  /** Requests by status class. */
  counts: Map<string, number>;
}

/** Counts requests by route, method and status class. The route is the pattern, never the path: ids would create endless series. */
export class HttpMetrics {
  private readonly seconds = new SeriesHistogram(
    'waystation_http_request_duration_seconds',
    'Time from the first byte of a request to the end of its response; streams and waiting requests count with their whole duration.',
    LATENCY_BUCKETS,
  );
  /** By method, then by route. */
  private readonly endpoints = new Map<string, Map<string, Endpoint>>();

  constructor(metrics: Metrics) {
    const labelNames = ['method', 'route', 'status'];
    const help = 'Finished requests, by route, method and status.';
    metrics.counter('waystation_http_requests_total', help, () => this.requests(), labelNames);
    metrics.add(this.seconds);
  }

  observe(request: ApiRequest, response: ApiResponse, tookMs: number): void {
    const { counts, seconds } = this.endpointOf(request);
    const status = STATUS_CLASSES[response.headersSent ? Math.floor(response.statusCode / 100) : 0] ?? OTHER;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    seconds.observe(tookMs / 1000);
  }

  private endpointOf(request: ApiRequest): Endpoint {
    const route = patternOf(request);
    const method = METHODS.has(request.method) ? request.method : OTHER;
    return this.endpoints.get(method)?.get(route) ?? this.newEndpoint(method, route);
  }

  private newEndpoint(method: string, route: string): Endpoint {
    const endpoint = { method, route, seconds: this.seconds.open({ method, route }), counts: new Map() };
    const ofMethod = this.endpoints.get(method);
    if (ofMethod === undefined) this.endpoints.set(method, new Map([[route, endpoint]]));
    else ofMethod.set(route, endpoint);
    return endpoint;
  }

  private requests(): Reading[] {
    const endpoints = [...this.endpoints.values()].flatMap((ofMethod) => [...ofMethod.values()]);
    return endpoints.flatMap(({ method, route, counts }) =>
      [...counts].map(([status, value]) => ({ labels: { method, route, status }, value })),
    );
  }
}

/** `OTHER` if the request reached no route of ours: unknown paths, refused hosts, documentation files. */
function patternOf(request: ApiRequest): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : OTHER;
}
