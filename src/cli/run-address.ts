import { queryText, type ApiClient } from './api-client.js';
import { CliError, isRefusal, UsageError } from './cli-error.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';

/** Runs named in a message if more than one may be meant. */
const MAX_NAMED = 10;

export interface RunAddress {
  thread_id: string;
  trace_id: string;
}

/** A run of a thread, as its detail lists it. */
interface ListedRun {
  trace_id: string;
  parent_trace_id: string | null;
  status: string;
}

export function runPath({ thread_id, trace_id }: RunAddress): string {
  return `/threads/${encodeURIComponent(thread_id)}/runs/${encodeURIComponent(trace_id)}`;
}

export function runName({ thread_id, trace_id }: RunAddress): string {
  return `run ${printable(trace_id)} in thread ${printable(thread_id)}`;
}

/** The runs that a command applies to. */
export interface RunsMeant {
  /** The infinitive for messages: `cancel`. */
  verb: string;
  /** If a thread is named instead of a run, tests for its runs; better candidates first. */
  candidates: readonly ((run: ListedRun) => boolean)[];
}

/**
 * The run of any thread with this trace id, or the only one with this prefix. The id or prefix of a thread stands for its only
 * eligible run.
 * @param thread limits the search to this thread: its id or a prefix
 * @throws CliError when there is none; with exit code 2 when there is more than one
 */
export async function findRun(
  client: ApiClient,
  prefix: string,
  thread: string | undefined,
  meant: RunsMeant,
): Promise<RunAddress> {
  const threadId = thread === undefined ? null : await findThreadId(client, thread);
  const found = await runsAt(client, prefix, threadId);
  if (found.some(({ trace_id }) => trace_id === prefix)) return onlyOne(found);
  if (threadId !== null && found.length === 0) throw new CliError(`The thread ${printable(threadId)} has no such run.`);
  if (threadId === null) {
    const ofThread = await runOfThread(client, prefix, meant, found.length === 0);
    if (ofThread !== null) return ofThread;
  }
  return onlyOne(found);
}

/** @param mustExist whether the text can only mean a thread; then a prefix is enough */
async function runOfThread(
  client: ApiClient,
  prefix: string,
  { verb, candidates }: RunsMeant,
  mustExist: boolean,
): Promise<RunAddress | null> {
  const threadId = await findThreadId(client, prefix).catch((error: unknown) => {
    if (mustExist && error instanceof UsageError) throw error;
    return null;
  });
  if (threadId === null || (threadId !== prefix && !mustExist)) {
    if (mustExist) throw new CliError(`No run and no thread begins with ${printable(prefix)}.`);
    return null;
  }
  const runs = await listedRuns(client, threadId);
  const found = candidates.map((isMeant) => topRuns(runs).filter(isMeant));
  const [first] = found.filter((some) => some.length > 0);
  if (first) return onlyOne(addressesOf(threadId, first));
  throw new CliError(`The thread ${printable(threadId)} has no run to ${verb}.`);
}

/** Those whose caller is not among them. */
export function topRuns(runs: readonly ListedRun[]): ListedRun[] {
  return runs.filter(({ parent_trace_id: parent }) => !runs.some(({ trace_id }) => trace_id === parent));
}

/**
 * As `findRun`, and also finds runs queued in agent processes, which no thread contains yet.
 * @throws CliError as `findRun`
 */
export async function findRunOrQueued(
  client: ApiClient,
  prefix: string,
  thread: string | undefined,
  meant: RunsMeant,
): Promise<RunAddress> {
  const queued = prefix === '' ? [] : await queuedRuns(client);
  const waiting = queued.filter(
    ({ trace_id, thread_id }) =>
      (trace_id.startsWith(prefix) || (thread === undefined && thread_id === prefix)) &&
      thread_id.startsWith(thread ?? ''),
  );
  if (waiting.length === 0) return findRun(client, prefix, thread, meant);
  const threadId = thread === undefined ? null : await findThreadId(client, thread).catch(() => undefined);
  const known = threadId === undefined ? [] : await runsAt(client, prefix, threadId);
  const all = [
    ...new Map([...known, ...waiting].map((run) => [JSON.stringify([run.thread_id, run.trace_id]), run])).values(),
  ];
  const exact = all.filter(({ trace_id }) => trace_id === prefix);
  return onlyOne(exact.length > 0 ? exact : all);
}

/** Runs that agent processes have accepted but not started. */
export async function queuedRuns(client: ApiClient): Promise<RunAddress[]> {
  // Older servers do not report queues.
  const agents = await client.list<{ queued_runs?: RunAddress[] }>('/v1/agents');
  return agents.flatMap(({ queued_runs = [] }) =>
    queued_runs.map(({ thread_id, trace_id }) => ({ thread_id, trace_id })),
  );
}

/** @throws CliError with exit code 2 when there is more than one */
function onlyOne(found: readonly RunAddress[]): RunAddress {
  if (found.length > 1) throw new UsageError(`Several runs match; choose one:\n${hints(found)}`);
  return found[0]!;
}

/** Whether a run of any thread has this trace id. False if the token may not read threads. */
export async function isRun(client: ApiClient, traceId: string): Promise<boolean> {
  try {
    return (await threadsWith(client, { trace_id: traceId })).length > 0;
  } catch (error) {
    if (isRefusal(error, 403)) return false;
    throw error;
  }
}

/** A prefix counts only if no run of any thread has the text as its full id. */
async function runsAt(client: ApiClient, prefix: string, threadId: string | null): Promise<RunAddress[]> {
  if (prefix === '') return [];
  if (threadId !== null) {
    const runs = await runsOf(client, threadId);
    const exact = runs.filter(({ trace_id }) => trace_id === prefix);
    if (exact.length > 0 || (await isRun(client, prefix))) return exact;
    return runs.filter(({ trace_id }) => trace_id.startsWith(prefix));
  }
  const threads = await threadsWith(client, { trace_id: prefix });
  if (threads.length > 0) return threads.map((thread_id) => ({ thread_id, trace_id: prefix }));
  const runs: RunAddress[] = [];
  for (const thread_id of await threadsWith(client, { trace_id_prefix: prefix })) {
    const ofThread = await runsOf(client, thread_id);
    runs.push(...ofThread.filter(({ trace_id }) => trace_id.startsWith(prefix)));
  }
  return runs;
}

/** Returns at most one more than a message names. */
async function threadsWith(client: ApiClient, filter: Record<string, string>): Promise<string[]> {
  const query = queryText({ ...filter, limit: MAX_NAMED + 1 });
  const { items } = await client.send<{ items: { thread_id: string }[] }>('GET', `/threads?${query}`);
  return items.map(({ thread_id }) => thread_id);
}

/** Without duplicates: several reporters may share a trace id. Empty if the thread was deleted meanwhile. */
async function runsOf(client: ApiClient, threadId: string): Promise<RunAddress[]> {
  return addressesOf(threadId, await listedRuns(client, threadId));
}

export function addressesOf(threadId: string, runs: readonly ListedRun[]): RunAddress[] {
  return [...new Set(runs.map(({ trace_id }) => trace_id))].map((trace_id) => ({ thread_id: threadId, trace_id }));
}

/** Empty if the thread was deleted meanwhile. */
export async function listedRuns(client: ApiClient, threadId: string): Promise<ListedRun[]> {
  const path = `/threads/${encodeURIComponent(threadId)}?logs_limit=1`;
  try {
    return (await client.send<{ run_list: ListedRun[] }>('GET', path)).run_list;
  } catch (error) {
    if (isRefusal(error, 404)) return [];
    throw error;
  }
}

function hints(runs: readonly RunAddress[]): string {
  const named = runs
    .slice(0, MAX_NAMED)
    .map((run) => `  ${printable(run.trace_id)} --thread ${printable(run.thread_id)}`);
  return [...named, ...(runs.length > MAX_NAMED ? ['  and more'] : [])].join('\n');
}
