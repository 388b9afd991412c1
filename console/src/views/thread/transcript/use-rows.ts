import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { isReachable, onReachableChange } from '../../../api/reachable.js';
import type { MessagePlace } from '../data/message-store.js';
import { historyOf, historyTextsAt, newIndexes, stepBefore, type History } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { transcriptRows, type TranscriptRows } from './transcript-rows.js';

/** The rows of the selected step, and the state of their loading. */
export interface StepRows extends TranscriptRows {
  /** Messages that the previous step lacked. */
  freshCount: number;
  total: number;
  /** Why some could not be loaded; null if none failed. */
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
  const { history_places: lastPlaces, history_meta_places: lastMetaPlaces } = historyTextsAt(runSteps, runSteps.at(-1));
  const want = useCallback(() => {
    const last = historyOf({ history_places: lastPlaces, history_meta_places: lastMetaPlaces });
    // People see the end first, and may move to later steps.
    messages.want([...backwards(history), ...backwards(last)]);
  }, [history, messages, lastPlaces, lastMetaPlaces]);
  useEffect(want, [want]);
  useEffect(() => {
    return onReachableChange(() => {
      if (isReachable() && messages.snapshot().error !== null) want();
    });
  }, [want, messages]);
  const read = useMemo(() => transcriptRows(history, loaded, fresh), [history, loaded, fresh]);
  return { ...read, freshCount: fresh.size, total: history.places.length, error: loaded.error, retry: want };
}

function backwards({ places, metaPlaces }: History): MessagePlace[] {
  return places.map((place, index) => ({ place, metaPlace: metaPlaces[index] ?? -1 })).reverse();
}
