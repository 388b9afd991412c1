import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { historyOf, historyTextsAt, newIndexes, stepBefore } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { transcriptRows, type TranscriptRows } from './transcript-rows.js';

/** The rows of the selected step, and how they come. */
export interface StepRows extends TranscriptRows {
  /** Messages that the step before did not have. */
  freshCount: number;
  total: number;
  /** Why some could not be loaded, or null. */
  error: unknown;
  retry: () => void;
}

/** The rows up to the selected step, as far as they are loaded. */
export function useRows(): StepRows {
  const { step, runSteps, history, messages } = useThread();
  const loaded = useSyncExternalStore(messages.subscribe, messages.snapshot);
  const before = step && stepBefore(runSteps, step);
  const { history_places, history_meta_places } = historyTextsAt(runSteps, before);
  const isFirst = before === undefined;
  const fresh = useMemo(
    () => new Set(isFirst ? [] : newIndexes(history, historyOf({ history_places, history_meta_places }))),
    [history, history_places, history_meta_places, isFirst],
  );
  const want = useCallback(() => {
    const wanted = history.places.map((place, index) => ({ place, metaPlace: history.metaPlaces[index] ?? -1 }));
    // A person sees the end first.
    messages.want(wanted.reverse());
  }, [history, messages]);
  useEffect(want, [want]);
  const read = useMemo(() => transcriptRows(history, loaded, fresh), [history, loaded, fresh]);
  return { ...read, freshCount: fresh.size, total: history.places.length, error: loaded.error, retry: want };
}
