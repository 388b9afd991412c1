import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { waitingQuery } from '../../shell/waiting-count.js';
import { sumsSince, type SumsOfHour } from './hours.js';
import { SPANS, statusesOf, type Span } from './runs-search.js';
import { FAILED, RUNNING } from './status-groups.js';

const EVERY_MS = 10_000;
/** For a list that changes all the time, the interval between requests for figures, in ms. */
const AFTER_CHANGE_MS = 2_000;
const KEY = ['runs', 'figures'];

export interface Figures {
  running: number;
  silent: number;
  inDoubt: number;
  /** Includes effects in doubt, as in the navigation. */
  waiting: number | undefined;
  /** When the oldest question began to wait. */
  oldest: string | undefined;
  failedInHour: number;
  failedInDay: number;
  hours: SumsOfHour[];
}

/** Current and today's figures, refetched while the view is visible, and soon after `version` changes. */
export function useFigures(version: number): Figures | undefined {
  const queries = useQueryClient();
  const { data: waiting } = useQuery(waitingQuery);
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => loadFigures(signal),
    refetchInterval: EVERY_MS,
    // A browser sends six requests at a time, and the list comes first.
    enabled: version > 0,
  });
  useEffect(() => {
    if (version <= 1) return;
    const updatedAt = queries.getQueryState(KEY)?.dataUpdatedAt ?? 0;
    const timer = setTimeout(
      () => void queries.invalidateQueries({ queryKey: KEY }),
      Math.max(0, updatedAt + AFTER_CHANGE_MS - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [queries, version]);
  return data && { ...data, waiting: waiting?.total };
}

async function loadFigures(signal: AbortSignal): Promise<Omit<Figures, 'waiting'>> {
  const [running, silent, inDoubt, failedInHour, failedInDay, approvals, sums] = await Promise.all([
    countThreads({ status: statusesOf({ status: RUNNING }) }, signal),
    countThreads({ silent: 'true' }, signal),
    countThreads({ in_doubt: 'true' }, signal),
    countThreads(failedSince('1h'), signal),
    countThreads(failedSince('24h'), signal),
    read(api.GET('/approvals', { params: { query: { limit: 1 } }, signal })),
    loadHours(signal),
  ]);
  return { running, silent, inDoubt, failedInHour, failedInDay, oldest: approvals.items[0]?.created_at, hours: sums };
}

async function loadHours(signal: AbortSignal): Promise<SumsOfHour[]> {
  const span = { by: 'hour' as const, since: sumsSince(Date.now()) };
  const sums = (query: typeof span & { tz?: string }) => read(api.GET('/v1/stats', { params: { query }, signal }));
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // A browser may know zones that the server does not. In UTC, only the edges of hours differ, and only for few zones.
  const found = await sums({ ...span, tz }).catch((fault: unknown) => {
    if (fault instanceof Problem && fault.status === 400) return sums(span);
    throw fault;
  });
  return found.items;
}

type Filters = { status?: string[]; silent?: 'true'; in_doubt?: 'true'; since?: string };

function failedSince(span: Span): Filters {
  return {
    status: statusesOf({ status: FAILED }),
    since: new Date(Date.now() - SPANS[span]).toISOString(),
  };
}

/** As many threads as the list shows with these filters. */
async function countThreads(filters: Filters, signal: AbortSignal): Promise<number> {
  const query = { ...filters, limit: 1, count: 'true' as const };
  return (await read(api.GET('/threads', { params: { query }, signal }))).total ?? 0;
}
