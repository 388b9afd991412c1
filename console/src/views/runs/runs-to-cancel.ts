import { isAtRest } from '../../../../src/common/contract/run-status.js';
import { api, read } from '../../api/client.js';
import { allPages } from '../../api/lists.js';
import { Problem } from '../../api/problem.js';
import { isFiltered, listQuery, type RunsSearch } from './runs-search.js';

const AT_ONCE = 4;
/** Agents continue to start runs meanwhile. */
const MAX_ROUNDS = 5;

interface RunAddress {
  thread_id: string;
  trace_id: string;
}

export interface RunsToCancel {
  /** Ids of threads with a run in progress. */
  threads: string[];
  /** Runs that no agent has started yet. */
  queued: RunAddress[];
}

/** What runs or waits in the threads that the list shows, and in their agents' queues. */
export async function runsToCancel(search: RunsSearch, signal?: AbortSignal): Promise<RunsToCancel> {
  const [threads, queued] = await Promise.all([threadsUnderWay(search, signal), queuedRuns(search, signal)]);
  return { threads, queued };
}

/**
 * Cancels them, queued ones first, because an agent would start them once it has room. Then looks for newly started ones.
 * @param onDone called with the number of cancelled ones so far
 */
export async function cancelAll(search: RunsSearch, reason: string, onDone: (count: number) => void): Promise<void> {
  let count = 0;
  const doEach = async <Item>(items: Item[], act: (item: Item) => Promise<void>) => {
    const left = [...items];
    const next = async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) {
        await act(item);
        onDone(++count);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { threads, queued } = await runsToCancel(search);
    if (threads.length + queued.length === 0) return;
    await doEach(queued, (run) => cancel(run, reason));
    await doEach(threads, async (id) => {
      for (const run of await openRuns(id)) await cancel(run, reason);
    });
  }
}

async function threadsUnderWay(search: RunsSearch, signal?: AbortSignal): Promise<string[]> {
  const filters = { ...listQuery(search, Date.now()), sort: undefined, order: undefined, open: 'true' as const };
  const { items } = await allPages((page) =>
    read(api.GET('/threads', { params: { query: { ...filters, ...page } }, signal })),
  );
  return items.map(({ thread_id }) => thread_id);
}

/** The list can filter queued runs only by agent: they have no other properties yet. */
async function queuedRuns({ agent, ...others }: RunsSearch, signal?: AbortSignal): Promise<RunAddress[]> {
  if (isFiltered(others)) return [];
  const { items } = await allPages((query) => read(api.GET('/v1/agents', { params: { query }, signal })));
  return items
    .filter(({ agent_id }) => agent === undefined || agent_id === agent)
    .flatMap(({ queued_runs }) => queued_runs);
}

/** Runs in progress without an ancestor in progress: cancelling those ends the others. */
async function openRuns(thread_id: string): Promise<RunAddress[]> {
  const detail = await unlessGone(read(api.GET('/threads/{thread_id}', { params: { path: { thread_id } } })));
  const open = (detail?.run_list ?? []).filter(({ status }) => !isAtRest(status));
  const isTop = (parent: string | null) => !open.some(({ trace_id }) => trace_id === parent);
  return open.filter(({ parent_trace_id }) => isTop(parent_trace_id)).map(({ trace_id }) => ({ thread_id, trace_id }));
}

async function cancel({ thread_id, trace_id }: RunAddress, reason: string): Promise<void> {
  const body = reason.trim() === '' ? {} : { reason };
  const path = { thread_id, trace_id };
  await unlessGone(read(api.POST('/threads/{thread_id}/runs/{trace_id}/cancel', { params: { path }, body })));
}

/** Undefined if the run has ended meanwhile, or its thread is deleted. */
async function unlessGone<Data>(answer: Promise<Data>): Promise<Data | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && [404, 409].includes(error.status)) return undefined;
    throw error;
  }
}
