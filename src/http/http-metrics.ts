import { Histogram, LATENCY_BUCKETS } from '../common/metrics/histogram.js';
import type { MetricFamily, Metrics, Sample } from '../common/metrics/metrics.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const STATUS_CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

interface RouteFigures {
  method: string;
  route: string;
  /** By the place in `STATUS_CLASSES`. */
  counts: number[];
  seconds: Histogram;
}

/** Counts requests by route, method and class of status. The route is the pattern, never the path: ids would make endless series. */
export class HttpMetrics {
  private readonly byRoute = new Map<string, Map<string, RouteFigures>>();

  constructor(metrics: Metrics) {
    metrics.add(
      this.family('waystation_http_requests_total', 'Requests that are over, by route, method and status.', 'counter', {
        samplesOf: ({ method, route, counts }) =>
          counts.flatMap((value, at) =>
            value === 0 ? [] : [{ labels: { method, route, status: STATUS_CLASSES[at]! }, value }],
          ),
      }),
      this.family(
        'waystation_http_request_duration_seconds',
        'Time from the first byte of a request to the end of its answer; streams and requests that wait count as long as they last.',
        'histogram',
        { samplesOf: ({ method, route, seconds }) => seconds.samples({ method, route }) },
      ),
    );
  }

  observe(request: ApiRequest, response: ApiResponse, tookMs: number): void {
    const figures = this.figuresOf(patternOf(request), METHODS.has(request.method) ? request.method : 'other');
    figures.counts[response.headersSent ? Math.floor(response.statusCode / 100) : 0]! += 1;
    figures.seconds.observe(tookMs / 1000);
  }

  private figuresOf(route: string, method: string): RouteFigures {
    let methods = this.byRoute.get(route);
    if (methods === undefined) this.byRoute.set(route, (methods = new Map()));
    let figures = methods.get(method);
    if (figures === undefined) {
      figures = { method, route, counts: STATUS_CLASSES.map(() => 0), seconds: new Histogram(LATENCY_BUCKETS) };
      methods.set(method, figures);
    }
    return figures;
  }

  private family(
    name: string,
    help: string,
    type: MetricFamily['type'],
    { samplesOf }: { samplesOf: (figures: RouteFigures) => Sample[] },
  ): MetricFamily {
    const samples = () => [...this.byRoute.values()].flatMap((methods) => [...methods.values()].flatMap(samplesOf));
    return { name, help, type, samples };
  }
}

/** Absent where no route of ours was reached: unknown paths, refused hosts, files of the documentation. */
function patternOf(request: ApiRequest): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : 'other';
}
