import { isAtRest, RUN_STATUS } from '../common/contract/run-status.js';
import { collected, type ApiClient } from './api-client.js';
import { count } from './amounts.js';
import { CliError, isRefusal, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { addressesOf, listedRuns, queuedRuns, runName, runPath, topRuns, type RunAddress } from './run-address.js';
import type { Terminal } from './terminal.js';

export interface CancelOptions {
  thread?: string;
  reason?: string;
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

interface OpenThread {
  thread_id: string;
  status: string;
}

interface OpenWork {
  threads: OpenThread[];
  queued: RunAddress[];
}

/** Agents continue to start runs meanwhile. */
const MAX_ROUNDS = 5;

/**
 * Cancels all runs that are in progress, wait for a person or are queued, and those that start meanwhile.
 * @throws CliError when the person does not confirm it, or some runs are left; UsageError when nobody can confirm it
 */
export async function cancelAll({ reason, yes, json }: CancelOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  let work = await openWork(client);
  if (isNone(work) && !json) return terminal.printError('Nothing runs, waits for a person or is queued.');
  if (!yes && !isNone(work)) await confirmAll(work, terminal);
  for (let round = 0; round < MAX_ROUNDS && !isNone(work); round += 1) {
    for await (const run of openRuns(client, work)) {
      const response = await cancelRun(client, run, reason);
      if (response !== null) terminal.print(json ? JSON.stringify(response) : `Cancelled ${runName(run)}`);
    }
    work = await openWork(client);
  }
  if (!isNone(work)) throw new CliError(`Agents keep starting runs. Still there: ${amountsOf(work)}.`);
}

/** @returns null if the run has ended meanwhile, or its thread is deleted */
async function cancelRun(client: ApiClient, run: RunAddress, reason: string | undefined): Promise<object | null> {
  try {
    return await sendCancel(client, run, reason);
  } catch (error) {
    if (isRefusal(error, 404) || isRefusal(error, 409)) return null;
    throw error;
  }
}

export function sendCancel(client: ApiClient, run: RunAddress, reason: string | undefined): Promise<object> {
  return client.send('POST', `${runPath(run)}/cancel`, reason === undefined ? undefined : { reason });
}

async function openWork(client: ApiClient): Promise<OpenWork> {
  const items = await collected(client.items('/threads', { open: 'true' }));
  const threads = items.map((text) => {
    const { thread_id, status } = JSON.parse(text) as OpenThread;
    return { thread_id, status };
  });
  return { threads, queued: await queuedRuns(client) };
}

/** Queued ones first, because an agent would start them once it has room. Cancelling a run ends those below it. */
async function* openRuns(client: ApiClient, { threads, queued }: OpenWork): AsyncGenerator<RunAddress> {
  yield* queued;
  for (const { thread_id } of threads) {
    const open = (await listedRuns(client, thread_id)).filter(({ status }) => !isAtRest(status));
    yield* addressesOf(thread_id, topRuns(open));
  }
}

async function confirmAll(work: OpenWork, { keyboard, printError }: Terminal): Promise<void> {
  if (!keyboard) throw new UsageError('Nobody is here to confirm it. To cancel without asking, add --yes.');
  printError(`${amountsOf(work)}.`);
  const isSure = await keyboard.confirm({ question: 'Cancel all of them?', isDefault: false });
  if (!isSure) throw new CliError('Nothing was cancelled.');
}

function amountsOf({ threads, queued }: OpenWork): string {
  const waiting = threads.filter(({ status }) => status === RUN_STATUS.waiting).length;
  const running = threads.length - waiting;
  return [
    `${count(running, 'thread')} running`,
    `${waiting.toLocaleString('en-US')} waiting for a person`,
    `${count(queued.length, 'run')} queued`,
  ].join(', ');
}

function isNone({ threads, queued }: OpenWork): boolean {
  return threads.length + queued.length === 0;
}
