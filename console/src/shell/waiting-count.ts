import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, read } from '../api/client.js';
import { notifyOfWaiting } from './notifications.js';

const EVERY_MS = 10_000;
/** Effects that are counted; nobody settles more at once. */
const MOST_DOUBTS = 200;

/**
 * How much waits for a person: calls to decide, and effects in doubt. It also stands at the front of the page's title, so that a tab in the
 * background says it; the desktop tells when it grows, where the person wants that.
 */
export function useWaitingCount(): number {
  const { data } = useQuery({ ...waitingQuery, refetchInterval: EVERY_MS, refetchIntervalInBackground: true });
  const count = data ?? 0;
  useEffect(() => {
    const plain = document.title.replace(/^\(\d+\) /, '');
    document.title = count > 0 ? `(${count}) ${plain}` : plain;
  }, [count]);
  const before = useRef<number>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    if (before.current !== undefined && data > before.current) notifyOfWaiting(data);
    before.current = data;
  }, [data]);
  return count;
}

/** The same count for views. */
export const waitingQuery = { queryKey: ['approvals', 'count'], queryFn: countWaiting };

async function countWaiting(): Promise<number> {
  const [approvals, effects] = await Promise.all([
    read(api.GET('/approvals', { params: { query: { limit: 1, count: 'true' } } })),
    read(api.GET('/v1/effects', { params: { query: { limit: MOST_DOUBTS } } })),
  ]);
  return (approvals.total ?? 0) + effects.items.length;
}
