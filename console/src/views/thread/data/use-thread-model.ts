import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { MessageStore } from './message-store.js';
import { findStep, historyOf, historyTextsAt, stepName, stepsOfRun } from './steps.js';
import type { Selection, ThreadModel } from './thread-context.js';
import { approvalsQuery, doubtsQuery, stepsQuery, threadQuery } from './thread-queries.js';
import { useLiveThread } from './use-live-thread.js';

const route = getRouteApi('/threads/$threadId');
const NOTHING: readonly never[] = [];

export interface LoadedThread {
  model: ThreadModel | null;
  error: unknown;
  retry: () => void;
}

/** Loads and follows the thread named by the address. */
export function useThreadModel(): LoadedThread {
  const { threadId: id } = route.useParams();
  const search = route.useSearch();
  const queries = useQueryClient();
  const { data: thread, error: threadError } = useQuery(threadQuery(id));
  const { data: steps, error: stepsError } = useQuery(stepsQuery(id));
  const { data: approvals = NOTHING, isPending: isAsking } = useQuery(approvalsQuery(id));
  const { data: doubts = NOTHING, isPending: isDoubting } = useQuery(doubtsQuery(id));
  const live = useLiveThread(id, thread !== undefined && steps !== undefined);
  const messages = useMessageStore(id);

  const select = useSelect();
  const model = useMemo(() => {
    if (!thread || !steps) return null;
    const runs = thread.run_list;
    const run = runs.find(({ trace_id }) => trace_id === (search.run ?? thread.trace_id)) ?? runs[0]!;
    const runSteps = stepsOfRun(steps, run.trace_id);
    const chosen = search.step === undefined ? undefined : findStep(runSteps, search.step);
    const step = chosen ?? runSteps.at(-1);
    return { id, thread, runs, steps, run, runSteps, step, isFollowing: chosen === undefined };
  }, [id, thread, steps, search.run, search.step]);
  // The same history stays the same object, however often the figures change.
  const { history_places, history_meta_places } = historyTextsAt(model?.runSteps ?? NOTHING, model?.step);
  const history = useMemo(
    () => historyOf({ history_places, history_meta_places }),
    [history_places, history_meta_places],
  );

  const retry = useCallback(() => {
    void queries.invalidateQueries({ queryKey: threadQuery(id).queryKey });
    void queries.invalidateQueries({ queryKey: stepsQuery(id).queryKey });
  }, [queries, id]);
  return {
    model: useMemo(
      // What waits is shown at the top: if it appeared later, it would push down what somebody points at.
      () => (isAsking || isDoubting ? null : model && { ...model, history, approvals, doubts, live, messages, select }),
      [isAsking, isDoubting, model, history, approvals, doubts, live, messages, select],
    ),
    error: thread ? stepsError : threadError,
    retry,
  };
}

function useMessageStore(id: string): MessageStore {
  const store = useMemo(() => new MessageStore(id), [id]);
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  return store;
}

/** Selects through the address, so that a link shows the same and the back button leaves the thread. */
function useSelect(): ThreadModel['select'] {
  const navigate = route.useNavigate();
  return useCallback(
    ({ run, step }: Selection) =>
      void navigate({
        search: (now) => ({
          ...now,
          ...(run === undefined ? {} : { run, step: undefined, compare: undefined, against: undefined }),
          ...(step === undefined ? {} : { step: step === null ? undefined : stepName(step) }),
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
}
