import { statusMeant } from '../../../../src/common/contract/run-status.js';

export const SORTS = ['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'] as const;
export type Sort = (typeof SORTS)[number];

/** Time spans up to now, with their length in ms. */
export const SPANS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
export type Span = keyof typeof SPANS;

/** The query parameters of this view's address; absent means the default. */
export interface RunsSearch {
  q?: string;
  /** Statuses of the API, comma-separated. */
  status?: string;
  agent?: string;
  model?: string;
  /** Only silent runs. */
  silent?: true;
  /** Only those with an effect in doubt. */
  doubt?: true;
  /** Excludes `since` and `until`. */
  span?: Span;
  /** ISO 8601. */
  since?: string;
  until?: string;
  sort?: Sort;
  order?: 'asc';
}

/** Reads the address. Invalid values are ignored, because addresses get truncated and edited. */
export function runsSearch(search: Record<string, unknown>): RunsSearch {
  const span = oneOf(Object.keys(SPANS) as Span[], search.span);
  return withoutAbsent({
    q: textOf(search.q),
    status: statusesOf({ status: textOf(search.status) }).join(',') || undefined,
    agent: textOf(search.agent),
    model: textOf(search.model),
    silent: oneOf([true] as const, search.silent),
    doubt: oneOf([true] as const, search.doubt),
    span,
    since: span ? undefined : timeOf(search.since),
    until: span ? undefined : timeOf(search.until),
    sort: search.sort === 'updated_at' ? undefined : oneOf(SORTS, search.sort),
    order: oneOf(['asc'] as const, search.order),
  });
}

export function statusesOf({ status }: Pick<RunsSearch, 'status'>): string[] {
  const names = (status ?? '').split(',').map((name) => statusMeant(name.trim()));
  return [...new Set(names)].filter((name) => name !== '').slice(0, 50);
}

/** Whether the list filters threads. */
export function isFiltered({ q, status, agent, model, silent, doubt, span, since, until }: RunsSearch): boolean {
  return [q, status, agent, model, silent, doubt, span, since, until].some((value) => value !== undefined);
}

/** The same order without filters. */
export function withoutFilters({ sort, order }: RunsSearch): RunsSearch {
  return withoutAbsent({ sort, order });
}

/** The filters for the list; a span ends at `now`, in ms. */
export function listQuery(search: RunsSearch, now: number) {
  const { since, until, sort, order } = search;
  return withoutAbsent({
    ...streamQuery(search),
    silent: search.silent && ('true' as const),
    in_doubt: search.doubt && ('true' as const),
    since: search.span ? new Date(now - SPANS[search.span]).toISOString() : since,
    until,
    sort,
    order,
  });
}

/** The filters for the stream of all threads, which has none for times, silence and doubt. */
export function streamQuery(search: RunsSearch) {
  const statuses = statusesOf(search);
  return withoutAbsent({
    q: search.q,
    status: statuses.length > 0 ? statuses : undefined,
    agent_id: search.agent,
    model: search.model,
  });
}

export function streamPath(search: RunsSearch): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(streamQuery(search))) {
    for (const one of [value ?? []].flat()) parameters.append(name, one);
  }
  return parameters.size > 0 ? `/v1/threads/stream?${parameters}` : '/v1/threads/stream';
}

/** The router parses `?q=123` as a number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

function oneOf<Value>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value);
}

function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
