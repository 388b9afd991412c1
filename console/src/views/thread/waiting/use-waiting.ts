import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import {
  inboxAfter,
  isWaiting,
  type Approval,
  type Effect,
  type InboxEvent,
  type InboxItem,
} from '../../../decisions/inbox.js';
import { currentEffect } from '../../../decisions/waiting-data.js';
import { approvalKey, effectKey } from '../../../lib/inbox-key.js';
import { useThread } from '../data/thread-context.js';
import { effectsQuery } from '../data/thread-queries.js';

export interface Waiting {
  items: readonly InboxItem[];
  /** Adds events from the server's responses. */
  tell: (...events: InboxEvent[]) => void;
}

/** What waits for a person in this thread, and its outcome since the view was opened. */
export function useWaiting(): Waiting {
  const { id, approvals, doubts } = useThread();
  const queries = useQueryClient();
  const [{ items, seen }, set] = useState(() => ({
    items: inboxAfter([], eventsOf(approvals, doubts)),
    seen: { approvals, doubts },
  }));
  if (seen.approvals !== approvals || seen.doubts !== doubts)
    set({
      items: inboxAfter(items, withoutOld(items, eventsOf(approvals, doubts))),
      seen: { approvals, doubts },
    });
  const tell = useCallback(
    (...events: InboxEvent[]) => {
      set((before) => ({ ...before, items: inboxAfter(before.items, events) }));
      void queries.invalidateQueries({ queryKey: ['approvals'] });
      void queries.invalidateQueries({ queryKey: effectsQuery(id, '').queryKey.slice(0, 3) });
    },
    [queries, id],
  );
  // The list of doubts shows only that an effect has left it, not its outcome.
  useEffect(() => {
    const inDoubt = new Set(doubts.map(effectKey));
    for (const { subject, outcome, key } of items)
      if (subject.kind === 'doubt' && outcome === null && !inDoubt.has(key))
        currentEffect(subject.record).then(
          (record) => record && !record.in_doubt && tell({ type: 'doubt', record }),
          // The next refetch of the doubts tries again.
          () => undefined,
        );
  }, [doubts, items, tell]);
  return { items, tell };
}

function eventsOf(approvals: readonly Approval[], doubts: readonly Effect[]): InboxEvent[] {
  return [
    ...approvals.map((record) => ({ type: 'calls', record }) as const),
    ...doubts.map((record) => ({ type: 'doubt', record }) as const),
  ];
}

/** Drops records older than the known outcome of their item, which would otherwise seem to wait again. */
function withoutOld(items: readonly InboxItem[], events: readonly InboxEvent[]): InboxEvent[] {
  const closed = new Set(items.filter((item) => !isWaiting(item)).map(({ key }) => key));
  return events.filter((event) => {
    if (event.type === 'calls') return event.record.status !== 'pending' || !closed.has(approvalKey(event.record));
    return event.type !== 'doubt' || !closed.has(effectKey(event.record));
  });
}
