import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { followStream, type StreamState } from '../../api/event-stream.js';
import { parseExact } from '../../api/exact-json.js';
import { Problem } from '../../api/problem.js';
import { approvalKey, effectKey } from '../../lib/inbox-key.js';
import { inboxAfter, type Approval, type Effect, type InboxEvent, type InboxItem } from '../../decisions/inbox.js';
import { loadWaiting } from '../../decisions/waiting-data.js';

/** Events that arrive together are drawn together: a stream begins with everything that waits. */
const BATCH_MS = 40;
/** Time until the next try if the server did not respond. */
const RETRY_MS = 2_000;

export interface LiveInbox {
  items: readonly InboxItem[];
  isLoaded: boolean;
  error: unknown;
  stream: StreamState;
  /** Adds events from the server's responses. */
  tell: (...events: InboxEvent[]) => void;
  reload: () => void;
}

/** Everything that waits for a person, live. After a lost connection it loads everything again. */
export function useInbox(): LiveInbox {
  const queries = useQueryClient();
  const [items, setItems] = useState<readonly InboxItem[]>([]);
  const [load, setLoad] = useState<{ isLoaded: boolean; error: unknown }>({ isLoaded: false, error: null });
  const [stream, setStream] = useState<StreamState>('connecting');
  const [looks, reload] = useReducer((count: number) => count + 1, 0);
  /** Events of the stream since the last load began: they are newer than the load. */
  const told = useRef(new Set<string>());
  const { add: addLater, flush } = useBatch((events) => {
    setItems((before) => inboxAfter(before, events));
    for (const kind of ['count', 'decided']) void queries.invalidateQueries({ queryKey: ['approvals', kind] });
  });
  const tell = useCallback(
    (...events: InboxEvent[]) => {
      for (const event of events) if ('record' in event) told.current.add(keyOf(event));
      addLater(events);
    },
    [addLater],
  );

  useEffect(() => {
    let isCurrent = true;
    let retry: ReturnType<typeof setTimeout>;
    told.current = new Set();
    loadWaiting().then(
      ({ events, keys }) => {
        if (!isCurrent) return;
        const older = events.filter((event) => !('record' in event && told.current.has(keyOf(event))));
        const present = { type: 'present', keys: new Set([...keys, ...told.current]) } as const;
        // All waiting items appear at once, so that the first one does not change a moment later.
        flush();
        setItems((before) => inboxAfter(before, [...older, present]));
        setLoad({ isLoaded: true, error: null });
      },
      (error: unknown) => {
        if (!isCurrent) return;
        setLoad((before) => ({ ...before, error }));
        if (!(error instanceof Problem && error.status < 500)) retry = setTimeout(reload, RETRY_MS);
      },
    );
    return () => {
      isCurrent = false;
      clearTimeout(retry);
    };
  }, [looks, reload, flush]);

  useStream(tell, setStream, reload);

  return { items, ...load, stream, tell, reload };
}

/** @param onAgain called after a lost connection, because nothing reported what ended meanwhile */
function useStream(tell: LiveInbox['tell'], onState: (state: StreamState) => void, onAgain: () => void): void {
  useEffect(() => {
    let opened = 0;
    return followStream({
      path: '/approvals/stream',
      onEvent: ({ event, data }) => {
        const type = EVENTS[event];
        if (type) tell({ type, record: parseExact(data) } as InboxEvent);
      },
      onState: (state) => {
        onState(state);
        if (state === 'open' && opened++ > 0) onAgain();
      },
    });
  }, [tell, onState, onAgain]);
}

interface Batch {
  add: (events: readonly InboxEvent[]) => void;
  /** Passes pending events on at once. */
  flush: () => void;
}

/** Passes on together what arrives within a moment. */
function useBatch(handle: (events: InboxEvent[]) => void): Batch {
  const current = useRef(handle);
  useEffect(() => {
    current.current = handle;
  });
  const batch = useRef<InboxEvent[]>([]);
  const flush = useCallback(() => {
    if (batch.current.length > 0) current.current(batch.current.splice(0));
  }, []);
  const add = useCallback(
    (events: readonly InboxEvent[]) => {
      if (batch.current.length === 0 && events.length > 0) setTimeout(flush, BATCH_MS);
      batch.current.push(...events);
    },
    [flush],
  );
  return { add, flush };
}

const EVENTS: Record<string, 'calls' | 'doubt'> = {
  opened: 'calls',
  closed: 'calls',
  reminder: 'calls',
  doubt_opened: 'doubt',
  doubt_closed: 'doubt',
};

function keyOf(event: { type: 'calls'; record: Approval } | { type: 'doubt'; record: Effect }): string {
  return event.type === 'calls' ? approvalKey(event.record) : effectKey(event.record);
}
