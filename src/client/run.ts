import { randomUUID } from 'node:crypto';
import { callDecisions, ENDED, type CallDecision } from './api/call-decisions.js';
import type { Schemas } from './api/api-requests.js';
import type { AttachOptions } from './file-attacher.js';
import type { EffectAttempt, EffectCall } from './effect-call.js';
import type { CancelledRun } from './batch-response.js';
import { LeaseHeldError } from './lease-requests.js';
import type { LeaseOptions, RunLease } from './lease-keeper.js';
import type { AppendData, Checkpoint, CheckpointData, EndData, RunIds } from './report-data.js';

/** A person has cancelled the run: stop working on it. */
export class RunCancelledError extends Error {
  constructor(traceId: string) {
    super(`a person has cancelled the run ${traceId}`);
    this.name = 'RunCancelledError';
  }
}

/** Which run `WaystationClient.run` drives, and how. */
export interface RunOptions {
  /** Only the run with this trace. Default: the interrupted one, otherwise a new one. */
  traceId?: string;
  /** The parent run. */
  parentTraceId?: string;
  /** The run's model, shown to people. */
  model?: string;
  /** `safe`: `latest` includes the outcomes of tool calls, and a history that providers accept. */
  resume?: 'safe';
  /** When it aborts, the run stays as it is, to be continued later. */
  signal?: AbortSignal;
}

/** What a run needs from the client. */
interface RunReporter {
  start(run: { thread_id: string; trace_id: string; parent_trace_id?: string; model?: string }): Promise<RunIds>;
  checkpoint(data: CheckpointData): Promise<void>;
  append(run: RunIds, messages: readonly unknown[], data?: AppendData): Promise<void>;
  attach(run: RunIds, file: string | Uint8Array, options?: AttachOptions): Promise<void>;
  complete(data: EndData): Promise<void>;
  fail(data: EndData, error: unknown): Promise<void>;
  effect<T>(run: RunIds, call: EffectCall, make: (attempt: EffectAttempt) => Promise<T> | T): Promise<T>;
  lease(run: RunIds, options?: LeaseOptions): Promise<RunLease>;
  waitForApproval(run: RunIds, signal?: AbortSignal): Promise<Checkpoint>;
}

/** What entering a run needs. */
interface RunEntry {
  /** The checkpoint to continue from. */
  latest(traceId?: string): Promise<Checkpoint | null>;
  /** Calls the listener when a person has cancelled the run. @returns a function that stops watching */
  watchCancel(run: CancelledRun, listener: () => void): () => void;
}

type StepFields = Omit<CheckpointData, keyof RunIds | 'history'>;
type EndFields = Omit<EndData, keyof RunIds>;

/** A process that ends with an error must not hang on an unreachable server; the lease expires. */
const LAST_RELEASE_MS = 5_000;
const DECIDED = new Set(['approved', 'rejected']);

/** A run in a thread that `WaystationClient.run` has begun or continues. */
export class Run {
  /** The checkpoint to continue from; null for none. */
  readonly latest: Checkpoint | null;
  /** The conversation so far; empty in a new thread. */
  readonly history: unknown[];
  /** Whether the run began earlier and has not ended. */
  readonly isResumed: boolean;
  /** Aborts once the response to a report says that a person has cancelled the run. */
  readonly cancelled: AbortSignal;
  readonly ids: RunIds;
  private readonly cancel = new AbortController();
  private currentLease: RunLease | null = null;
  private isOver = false;

  private constructor(
    private readonly client: RunReporter,
    { threadId, agentId, traceId = randomUUID(), parentTraceId }: RunOptions & { threadId: string; agentId: string },
    latest: Checkpoint | null,
  ) {
    this.latest = latest;
    this.history = latest?.history ?? [];
    this.isResumed = latest !== null && !ENDED.has(latest.status);
    const trace_id = this.isResumed ? latest!.trace_id : traceId;
    const parent = parentTraceId === undefined ? {} : { parent_trace_id: parentTraceId };
    this.ids = { thread_id: threadId, trace_id, agent_id: agentId, ...parent };
    this.cancelled = this.cancel.signal;
  }

  /**
   * Enters a run, does the work, and reports the end.
   * @internal
   */
  static async drive<T>(
    client: RunReporter,
    entry: RunEntry,
    options: RunOptions & { threadId: string; agentId: string },
    work: (run: Run) => Promise<T> | T,
  ): Promise<T> {
    const { signal } = options;
    const run = new Run(client, options, await entry.latest(options.traceId));
    const unwatch = entry.watchCancel(run.ids, () => run.cancel.abort(new RunCancelledError(run.traceId)));
    try {
      if (!run.isResumed) await run.begin(options);
      const result = await work(run);
      await run.end(signal, () => run.complete());
      await run.currentLease?.release();
      return result;
    } catch (error) {
      await run.leave(signal, error);
      throw error;
    } finally {
      unwatch();
    }
  }

  get threadId(): string {
    return this.ids.thread_id;
  }

  get traceId(): string {
    return this.ids.trace_id;
  }

  /** The status of `latest`, such as `waiting_for_approval`; null in a new thread. */
  get status(): string | null {
    return this.latest?.status ?? null;
  }

  /**
   * Whether people were asked about tool calls before this process began, and the run has not continued since: `decisions` then waits for
   * their decisions, or returns them at once.
   */
  get hasAsked(): boolean {
    // If a person cancelled the waiting run and it was retried, nobody can decide its calls.
    if (!this.isResumed || this.latest!.approval?.status === 'superseded') return false;
    return this.latest!.pending_tool_calls.length > 0 || DECIDED.has(this.latest!.status);
  }

  /**
   * Reports the history after a turn, as the next step. The history is copied at once: later changes to it do not matter.
   * @throws RunCancelledError if a person has cancelled the run
   */
  async step(history: readonly unknown[], fields: StepFields = {}): Promise<void> {
    this.cancelled.throwIfAborted();
    await this.client.checkpoint({ ...fields, ...this.ids, history });
  }

  /** Appends messages to the run's latest checkpoint, whoever reported it: `WaystationClient.append`. @throws RunCancelledError */
  async append(messages: readonly unknown[], data: AppendData = {}): Promise<void> {
    this.cancelled.throwIfAborted();
    await this.client.append(this.ids, messages, data);
  }

  /**
   * Sends a file to the run's chat, with the answer: `WaystationClient.attach`.
   * @param file its path, or its bytes; at most 50 MiB
   * @throws RunCancelledError if a person has cancelled the run
   */
  async attach(file: string | Uint8Array, options: AttachOptions = {}): Promise<void> {
    this.cancelled.throwIfAborted();
    await this.client.attach(this.ids, file, options);
  }

  /** Reports that the run is finished. Returning from the work does the same. */
  async complete(fields: EndFields = {}): Promise<void> {
    this.isOver = true;
    await this.client.complete({ ...fields, ...this.ids });
  }

  /** Reports that the run failed. @param error for people and programs: a message, or an object of any shape */
  async fail(error: unknown, fields: EndFields = {}): Promise<void> {
    this.isOver = true;
    await this.client.fail({ ...fields, ...this.ids }, error);
  }

  /** Makes a tool call with side effects at most once: `WaystationClient.effect`. */
  effect<T>(call: EffectCall, make: (attempt: EffectAttempt) => Promise<T> | T): Promise<T> {
    return this.client.effect(this.ids, call, make);
  }

  /**
   * Leases the run, so that only this process drives it: `WaystationClient.lease`. It is released after the run's end is reported, or
   * earlier by its `release`. If the lease is lost, the other process ends the run.
   * @throws LeaseHeldError while another process holds it: do not catch it, and the run is left to that process
   */
  async lease(options: LeaseOptions = {}): Promise<RunLease> {
    this.currentLease = await this.client.lease(this.ids, options);
    return this.currentLease;
  }

  /** Waits for the decision on the last step's tool calls, or returns an earlier one: `WaystationClient.waitForApproval`. */
  waitForApproval(signal?: AbortSignal): Promise<Checkpoint> {
    return this.client.waitForApproval(this.ids, signal);
  }

  /** The same as decisions by call id: whether each call may be made, and with which arguments. */
  async decisions(signal?: AbortSignal): Promise<Map<string, CallDecision>> {
    const decided = await this.waitForApproval(signal);
    return callDecisions(decided as unknown as Schemas['CheckpointDto'])!;
  }

  private async begin({ model, parentTraceId }: RunOptions): Promise<void> {
    const optional = {
      ...(model === undefined ? {} : { model }),
      ...(parentTraceId === undefined ? {} : { parent_trace_id: parentTraceId }),
    };
    await this.client.start({ thread_id: this.threadId, trace_id: this.traceId, ...optional });
  }

  private async end(signal: AbortSignal | undefined, report: () => Promise<void>): Promise<void> {
    const isLeft = this.isOver || this.cancelled.aborted || this.currentLease?.lost.aborted || signal?.aborted;
    if (!isLeft) await report();
  }

  private async leave(signal: AbortSignal | undefined, error: unknown): Promise<void> {
    const isOthers = error instanceof RunCancelledError || error instanceof LeaseHeldError;
    if (!isOthers) await this.end(signal, () => this.fail(error)).catch(() => undefined);
    await this.currentLease?.release(AbortSignal.timeout(LAST_RELEASE_MS)).catch(() => undefined);
  }
}
