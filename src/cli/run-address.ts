import type { ApiClient } from './api-client.js';
import { CliError } from './cli-error.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';

/** Threads that are looked through for a run whose thread is not named: those that changed last. */
const MAX_THREADS = 1_000;
const PAGE = 200;
const MISUSED = 2;

export interface RunAddress {
  thread_id: string;
  trace_id: string;
}

interface ThreadItem extends RunAddress {
  runs: number;
}

interface Page {
  items: ThreadItem[];
  next_cursor: string | null;
}

/**
 * The one run whose trace id is or begins with `beginning`: in the thread, or else among the runs that the latest threads show.
 * @param thread its id, or the beginning of it
 * @throws CliError when there is none; with exit code 2 when there is more than one
 */
export async function findRun(client: ApiClient, beginning: string, thread: string | undefined): Promise<RunAddress> {
  const known =
    thread === undefined ? await shownRuns(client) : await runsOf(client, await findThreadId(client, thread));
  const exact = known.filter(({ trace_id }) => trace_id === beginning);
  const found =
    exact.length > 0 ? exact : known.filter(({ trace_id }) => beginning !== '' && trace_id.startsWith(beginning));
  const [run, another] = found;
  if (run === undefined) throw new CliError(notFound(thread));
  if (another !== undefined)
    throw new CliError(`More than one run begins like that; choose one:\n${hints(found)}`, MISUSED);
  return run;
}

async function runsOf(client: ApiClient, thread: string): Promise<RunAddress[]> {
  const path = `/threads/${encodeURIComponent(thread)}?logs_limit=1`;
  const { run_list: runs } = await client.send<{ run_list: { trace_id: string }[] }>('GET', path);
  return runs.map(({ trace_id }) => ({ thread_id: thread, trace_id }));
}

async function shownRuns(client: ApiClient): Promise<RunAddress[]> {
  const runs: RunAddress[] = [];
  const search = new URLSearchParams({ limit: String(PAGE) });
  while (runs.length < MAX_THREADS) {
    const { items, next_cursor }: Page = await client.send('GET', `/threads?${search}`);
    runs.push(...items);
    if (next_cursor === null) break;
    search.set('cursor', next_cursor);
  }
  return runs;
}

function notFound(thread: string | undefined): string {
  if (thread !== undefined) return `The thread ${printable(thread)} has no such run.`;
  return 'No thread shows such a run. For an earlier run of a thread, or a sub-run, name the thread with --thread.';
}

function hints(runs: readonly RunAddress[]): string {
  return runs.map((run) => `  ${printable(run.trace_id)} --thread ${printable(run.thread_id)}`).join('\n');
}
