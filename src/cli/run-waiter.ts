import { launchContext } from '../config/env.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAtRest, RUN_STATUS } from '../common/contract/run-status.js';
import type { LatestResponse } from '../client/latest-reader.js';
import type { ApiClient } from './api-client.js';
import { fetchApprovals, type ApprovalRecord } from './approval-record.js';
import { CliError } from './cli-error.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

/** How long a request waits. Between requests it looks for sub-runs that wait for a person. */
const WAIT_SECONDS = 5;
const RETRY_MS = 500;
/** For every end but `completed` and `idle`. */
const EXIT_CODES = new Map<string, number>([
  [RUN_STATUS.error, 3],
  [RUN_STATUS.budgetExceeded, 4],
  [RUN_STATUS.cancelled, 6],
]);
const WAITS = 5;

/** Why the wait for a run is over. */
export interface RunOutcome {
  status: string;
  exitCode: number;
  /** A message for the user if the exit code is not 0. */
  message: string;
  /** The agent's last message; null for none. */
  lastMessage: string | null;
}

interface Latest {
  status: string;
  error: unknown;
}

interface Entry {
  kind: string;
  message: string;
  trace_id: string;
}

/** Follows a run until it ends, or it or a descendant waits for a person. */
export class RunWaiter {
  private etag: string | undefined;
  private isUnreachable = false;

  constructor(
    private readonly client: ApiClient,
    private readonly run: { run_id: string; thread_id: string },
    private readonly terminal: Terminal,
  ) {}

  /**
   * Keeps waiting while the server cannot be reached. @throws CliError when the thread is deleted, RefusalError when the token may not read
   * it
   */
  async outcome(): Promise<RunOutcome> {
    let latest: Latest | null = null;
    for (;;) {
      const response = await this.poll();
      if (response?.kind === 'unknown' && latest !== null) throw new CliError('The thread was deleted.');
      if (response?.kind === 'found') {
        latest = JSON.parse(response.text) as Latest;
        this.etag = response.etag;
        if (isAtRest(latest.status)) return this.endedOutcome(latest);
      }
      const waiting = response === null || latest === null ? null : await this.waitingOutcome(latest);
      if (waiting !== null) return waiting;
      // A run is unknown until its agent reports the start.
      if (response === null || response.kind === 'unknown') await sleep(RETRY_MS);
    }
  }

  private async poll(): Promise<LatestResponse | null> {
    const waitSeconds = this.etag === undefined ? 0 : WAIT_SECONDS;
    const options = { traceId: this.run.run_id, waitSeconds, etag: this.etag };
    const response = await this.client.latest(this.run.thread_id, options);
    if (response === null && !this.isUnreachable)
      this.terminal.printError('The API server does not answer; trying again.');
    this.isUnreachable = response === null;
    return response;
  }

  private async endedOutcome({ status, error }: Latest): Promise<RunOutcome> {
    const reason = error === null || error === undefined ? '' : `: ${printable(reasonOf(error))}`;
    const message = `The run ended with ${printable(status)}${reason}`;
    return { status, exitCode: EXIT_CODES.get(status) ?? 0, message, lastMessage: await this.lastMessage() };
  }

  private async waitingOutcome({ status }: Latest): Promise<RunOutcome | null> {
    const approval = await this.findApproval();
    if (approval === null && status !== RUN_STATUS.waiting) return null;
    const command = approval && `${launchContext().command} approve ${printable(approval.trace_id)} ${approval.step}`;
    const what = approval === null ? '.' : `${toolsOf(approval)}: ${command}, or reject it`;
    const message = `The run waits for a person${what}`;
    return { status: RUN_STATUS.waiting, exitCode: WAITS, message, lastMessage: await this.lastMessage() };
  }

  /** The pending approval of the run or a descendant; other runs of the thread may have some, too. */
  private async findApproval(): Promise<ApprovalRecord | null> {
    const { thread_id, run_id } = this.run;
    let parents: Map<string, string | null> | null = null;
    for await (const approval of fetchApprovals(this.client, { status: 'pending', thread_id })) {
      const { trace_id, parent_trace_id } = approval;
      if (trace_id === run_id || parent_trace_id === run_id) return approval;
      if (parent_trace_id === null) continue;
      parents ??= await this.parentsOfRuns();
      if (isDescendant(parent_trace_id, run_id, parents)) return approval;
    }
    return null;
  }

  /** The parent that each run of the thread names. */
  private async parentsOfRuns(): Promise<Map<string, string | null>> {
    const path = `/threads/${encodeURIComponent(this.run.thread_id)}?logs_limit=1`;
    const { run_list: runs } = await this.client.send<{
      run_list: { trace_id: string; parent_trace_id: string | null }[];
    }>('GET', path);
    return new Map(runs.map(({ trace_id, parent_trace_id }) => [trace_id, parent_trace_id]));
  }

  private async lastMessage(): Promise<string | null> {
    const path = `/threads/${encodeURIComponent(this.run.thread_id)}`;
    const { logs } = await this.client.send<{ logs: Entry[] }>('GET', path);
    const said = logs.filter(({ kind, trace_id }) => kind === 'assistant' && trace_id === this.run.run_id);
    return said.at(-1)?.message ?? null;
  }
}

/** Whether `top` is an ancestor. Agents name the parents, so these may form a circle. */
function isDescendant(traceId: string, top: string, parents: ReadonlyMap<string, string | null>): boolean {
  const met = new Set<string>();
  for (let at: string | null = traceId; at !== null && !met.has(at); at = parents.get(at) ?? null) {
    if (at === top) return true;
    met.add(at);
  }
  return false;
}

function toolsOf({ calls }: ApprovalRecord): string {
  const names = calls.flatMap(({ name }) => (name === null ? [] : [printable(name)]));
  return names.length === 0 ? '' : ` to decide on ${names.join(', ')}`;
}

function reasonOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(error);
}
