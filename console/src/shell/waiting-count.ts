import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, read } from '../api/client.js';
import { approvalKey, effectKey } from '../lib/inbox-key.js';
import { isNotifying, notifyOfReminder, notifyOfWaiting } from './notifications.js';
import { hasNewWaits, hasReminders, type Waits } from './waits.js';

const EVERY_MS = 10_000;
/** Calls whose keys are compared for notifications. They come with their arguments, so the number is small. */
const CALLS = 50;
/** Most effects counted; nobody settles more at once. */
const MOST_DOUBTS = 200;

/**
 * How much waits for a person: calls to decide, and effects in doubt. The count is also in the page's title, for background tabs; if the
 * person wants it, the desktop notifies of new items and reminders.
 */
export function useWaitingCount(): number {
  const { data } = useQuery({ ...waitingQuery, refetchInterval: EVERY_MS, refetchIntervalInBackground: true });
  const count = data?.total ?? 0;
  useEffect(() => {
    const plain = document.title.replace(/^\(\d+\) /, '');
    document.title = count > 0 ? `(${count}) ${plain}` : plain;
  }, [count]);
  const before = useRef<Waits>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    if (before.current !== undefined) {
      if (hasNewWaits(before.current, data)) notifyOfWaiting(data.total);
      else if (hasReminders(before.current, data)) notifyOfReminder();
    }
    before.current = data;
  }, [data]);
  return count;
}

/** The same for views. */
export const waitingQuery = { queryKey: ['approvals', 'count'], queryFn: loadWaits };

async function loadWaits(): Promise<Waits> {
  const [approvals, effects] = await Promise.all([
    read(api.GET('/approvals', { params: { query: { limit: isNotifying() ? CALLS : 1, count: 'true' } } })),
    read(api.GET('/v1/effects', { params: { query: { limit: MOST_DOUBTS } } })),
  ]);
  return {
    total: (approvals.total ?? 0) + effects.items.length,
    keys: [...approvals.items.map(approvalKey), ...effects.items.map(effectKey)],
    reminded: [...approvals.items.map(({ reminded }) => reminded), ...effects.items.map(() => 0)],
  };
}
