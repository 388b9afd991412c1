import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { isAtRest } from '../../../../../src/common/contract/run-status.js';
import { useNow } from '../../../ui/now.js';
import { MessageStore, type MessagePlace } from '../data/message-store.js';
import { useThread } from '../data/thread-context.js';
import { newMessages } from './new-messages.js';
import { timelineData, type TimelineData } from './timeline-layout.js';
import { workOf, type Work } from './work.js';

/** The timeline of the thread, which grows while a run is in progress. */
export function useTimelineData(): TimelineData {
  const { runs, steps, approvals } = useThread();
  const works = useWorks();
  const input = useMemo(() => ({ runs, steps, approvals, works }), [runs, steps, approvals, works]);
  const isRunning = runs.some(({ status }) => !isAtRest(status));
  const now = useNow();
  const at = isRunning ? now : 0;
  return useMemo(() => timelineData(input, at), [input, at]);
}

/** What is known of each step's messages; fills up while they load. */
function useWorks(): ReadonlyMap<number, readonly Work[]> {
  const { steps, messages } = useThread();
  const places = useMemo(() => newMessages(steps), [steps]);
  const others = useOtherRuns(places);
  const loaded = useSyncExternalStore(messages.subscribe, messages.snapshot);
  const loadedOthers = useSyncExternalStore(others.subscribe, others.snapshot);
  return useMemo(() => {
    const known = new Map<number, Work[]>();
    places.forEach((own, index) => {
      const works = own.flatMap((place) => {
        const stored = loaded.get(place) ?? loadedOthers.get(place);
        return (stored && workOf(stored.message, stored.meta)) ?? [];
      });
      if (works.length > 0) known.set(index, works);
    });
    return known;
  }, [places, loaded, loadedOthers]);
}

/** The view loads only the selected run's messages; the timeline shows all runs. */
function useOtherRuns(places: readonly (readonly MessagePlace[])[]): MessageStore {
  const { id, steps, run, messages } = useThread();
  const store = useMemo(() => new MessageStore(id), [id]);
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  useEffect(() => {
    store.want(
      places.flatMap((own, index) =>
        steps[index]!.trace_id === run.trace_id ? [] : own.filter((one) => messages.snapshot().get(one) === undefined),
      ),
    );
  }, [store, places, steps, run.trace_id, messages]);
  return store;
}
