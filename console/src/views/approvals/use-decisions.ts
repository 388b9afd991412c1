import { useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import type { Approval, Effect } from '../../decisions/inbox.js';

const PAGE = 50;

export type Decision = Approval | Effect;

/** Decided approvals and settled effects together, newest first. @param agent only this one's; undefined for all */
export function useDecisions(agent: string | undefined) {
  const approvals = useInfiniteQuery(approvalsQuery(agent));
  const effects = useInfiniteQuery(effectsQuery(agent));
  const lists = [approvals, effects];
  // Each list is loaded back to some time; items of the other list beyond that time have to wait.
  const ends = lists.flatMap((list) => {
    const last = list.data?.pages.at(-1)?.items.at(-1);
    return list.hasNextPage && last ? [{ list, time: timeOf(last) }] : [];
  });
  const loadedTo = ends.reduce((latest, { time }) => (time > latest ? time : latest), '');
  const shortest = ends.filter(({ time }) => time === loadedTo).map(({ list }) => list);
  const isLoaded = approvals.data !== undefined && effects.data !== undefined;
  return {
    /** Undefined until both lists are loaded. */
    decisions: isLoaded ? decisionsOf(lists, agent, loadedTo) : undefined,
    error: approvals.error ?? effects.error,
    refetch: () => lists.filter(({ error }) => error).forEach(({ refetch }) => void refetch()),
    /** Undefined if there are no earlier ones. */
    showEarlier: shortest.length > 0 ? () => shortest.forEach((list) => void list.fetchNextPage()) : undefined,
    isLoading: shortest.some(({ isFetchingNextPage }) => isFetchingNextPage),
  };
}

interface Loaded {
  data: { pages: readonly { items: readonly Decision[] }[] } | undefined;
}

/** The API counts sub-agents' effects towards the agent; the inbox tells them apart. */
function decisionsOf(lists: readonly Loaded[], agent: string | undefined, loadedTo: string): Decision[] {
  return lists
    .flatMap(({ data }) => data?.pages.flatMap(({ items }) => items) ?? [])
    .filter((one) => timeOf(one) >= loadedTo && (agent === undefined || one.agent_id === agent))
    .sort((one, other) => timeOf(other).localeCompare(timeOf(one)));
}

function timeOf(one: Decision): string {
  return 'digest' in one ? (one.decided_at ?? one.created_at) : (one.settled_at ?? one.started_at);
}

const approvalsQuery = (agent: string | undefined) => ({
  queryKey: ['approvals', 'decided', agent],
  queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
    const query = { status: 'decided' as const, limit: PAGE, agent_id: agent, cursor: pageParam };
    return read(api.GET('/approvals', { params: { query }, signal }));
  },
  initialPageParam: undefined,
  getNextPageParam: nextCursorOf,
});

const effectsQuery = (agent: string | undefined) => ({
  queryKey: ['approvals', 'decided', 'effects', agent],
  queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) => {
    const query = { state: 'decided' as const, limit: PAGE, agent_id: agent, cursor: pageParam };
    return read(api.GET('/v1/effects', { params: { query }, signal }));
  },
  initialPageParam: undefined,
  getNextPageParam: nextCursorOf,
});

function nextCursorOf({ next_cursor }: { next_cursor: string | null }): string | undefined {
  return next_cursor ?? undefined;
}
