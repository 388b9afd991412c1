import { randomUUID } from 'node:crypto';
import { parseExact, stringifyExact } from '../common/exact-number.js';
import type { CallQuestion } from './api/questions.js';
import { ApiConnection } from './api-connection.js';
import { guarded, printError, outageLines, OutageNotice } from './outage-notice.js';
import { ClientSettingError, clientSettings } from './client-settings.js';
import { PendingCallTracker, NoDecisionError } from './pending-call-tracker.js';
import type { CancelledRun, RejectedReport } from './batch-response.js';
import { ATTACHMENT } from '../common/contract/event-types.js';
import { FileAttacher, type AttachOptions } from './file-attacher.js';
import { QuestionAsker, type QuestionAnswer } from './question-asker.js';
import { Delivery } from './delivery.js';
import type { EffectAttempt, EffectCall } from './effect-call.js';
import { EffectMaker } from './effect-maker.js';
import { EventStamper } from './event-stamp.js';
import { ApiRefusalError, type LatestOptions, readLatest, type ResumeOptions } from './latest-reader.js';
import { LeaseHeldError } from './lease-requests.js';
import { LeaseKeeper, type LeasedRun, type LeaseOptions, type RunLease } from './lease-keeper.js';
import type { AppendData, Checkpoint, CheckpointData, EndData, RunIds, SafeCheckpoint } from './report-data.js';
import { PatientRequests } from './patient-requests.js';
import { Run, RunCancelledError, type RunOptions } from './run.js';
import { RunAppender } from './run-appender.js';
import { MemorySpool, type Spool } from './spool.js';

export interface WaystationClientOptions {
  /**
   * Base address of the API server. Default: `WAYSTATION_API_URL`, else the running server of `WAYSTATION_HOME`, else
   * `http://127.0.0.1:8000`.
   */
  apiUrl?: string;
  /** A token of scope `runner`. Default: `WAYSTATION_TOKEN`, or the content of the file `WAYSTATION_TOKEN_FILE`. */
  token?: string;
  /** The agent for which the client reports. Default: `WAYSTATION_AGENT_ID`. */
  agentId?: string;
  /** Holds reports for the API. Default: 64 MiB of memory. */
  spool?: Spool;
  /** Called for a report that was refused for good and dropped. Default: a line on standard error. */
  onRejected?: (rejected: RejectedReport) => void;
  /** Called when the spool was full and dropped that many of its oldest reports. Default: a line on standard error. */
  onDropped?: (count: number) => void;
  /**
   * Called when a person has cancelled the run: stop working on it. Called once per start of a run, after the response to its next
   * report. A program that rarely reports can watch `latest` for the status `cancelled`.
   */
  onCancel?: (run: CancelledRun) => void;
  /** Called when another process has taken over a run leased by this client: stop working on it. Its reports are refused. */
  onLeaseLost?: (run: LeasedRun) => void;
  /**
   * Called when reports cannot be delivered, for example because no server answers; they wait. Called once until delivery works again.
   * Default: a line on standard error, and another on recovery.
   */
  onTrouble?: (reason: string) => void;
  /** Called when delivery works again. */
  onRecovered?: () => void;
}

// This file is the package's entry `waystation/client`: it exports every type that its signatures name.
export * from './api/waystation-api.js';
export * from './describe-message.js';
export * from './effect-call.js';
export * from './report-data.js';
export * from './spool.js';
export { ApiRefusalError, ClientSettingError, LeaseHeldError, NoDecisionError, RunCancelledError };
export type { AttachOptions, QuestionAnswer };
export type { CancelledRun, LatestOptions, LeasedRun, LeaseOptions, RejectedReport, ResumeOptions };
export type { Run, RunLease, RunOptions };

const WAIT_SECONDS = 50;
const CLOSED = 'the client is closed';

/**
 * Reports an agent's runs and reads their latest checkpoints. It accepts reports at once and delivers them in the background: in
 * batches, in order, with retries while the API is down. Delivering a report twice changes nothing, because each has an id.
 */
export class WaystationClient {
  private readonly agentId: string;
  private readonly connection: ApiConnection;
  private readonly notice: OutageNotice;
  private readonly spool: Spool;
  private readonly delivery: Delivery;
  private readonly requests: PatientRequests;
  private readonly files: FileAttacher;
  private readonly questions: QuestionAsker;
  private readonly effects: EffectMaker;
  private readonly leases: LeaseKeeper;
  private readonly stamper = new EventStamper();
  private readonly asked = new PendingCallTracker();
  private readonly end = new AbortController();
  private readonly onRejected: (rejected: RejectedReport) => void;
  private readonly onDropped: (count: number) => void;
  private readonly onCancel: (run: CancelledRun) => void;
  /** Runs for which `onCancel` was called. */
  private readonly cancelled = new Set<string>();
  private readonly cancelListeners = new Map<string, () => void>();
  private closing: Promise<boolean> | null = null;

  /** @throws ClientSettingError when the address, the token or the agent is missing or unusable; sends no request */
  constructor(options: WaystationClientOptions = {}) {
    const { api, token, agentId } = clientSettings(options);
    this.agentId = agentId;
    this.connection = new ApiConnection(api, token);
    this.notice = new OutageNotice(
      options.onTrouble || options.onRecovered ? options : outageLines(() => this.connection.url),
    );
    this.spool = options.spool ?? new MemorySpool();
    this.onCancel = guarded(options.onCancel);
    this.onRejected = guarded(
      options.onRejected ?? (({ code, detail }) => printError(`a report was refused (${code}): ${detail}`)),
    );
    this.onDropped = guarded(
      options.onDropped ?? ((count) => printError(`the spool is full: the ${count} oldest reports are lost`)),
    );
    this.delivery = new Delivery(this.connection, this.spool, {
      onRejected: (rejected) => this.tellRejected(rejected),
      onCancelled: (run) => this.tellCancelled(run),
      notice: this.notice,
    });
    this.requests = new PatientRequests(this.connection, this.notice, this.end.signal);
    this.files = new FileAttacher(this.connection, this.requests);
    this.questions = new QuestionAsker(this, this.requests, this.delivery, this.asked);
    this.effects = new EffectMaker(this.connection, this.requests, (type, data) => this.report(type, data));
    const deliver = (signal?: AbortSignal) => this.delivered(signal);
    this.leases = new LeaseKeeper(this.connection, this.requests, deliver, guarded(options.onLeaseLost));
    // A durable spool may hold reports of an earlier process.
    this.delivery.wake();
  }

  /**
   * Drives a run of a thread:
   *
   *     await client.run('order-1', async (run) => {
   *       const history = run.history.length > 0 ? run.history : [{ role: 'user', content: 'Where is my parcel?' }];
   *       if (run.hasAsked) history.push(...(await resultsOf(await run.decisions())));
   *       history.push(await model(history));
   *       await run.step(history);
   *     });
   *
   * Delivers pending reports and reads the agent's latest checkpoint in the thread. A run that has begun and not ended continues under its
   * trace; otherwise a new one begins. `run.history` is the conversation so far. The run completes when the work returns, and fails when
   * it throws; the error is rethrown. If the process ends or `options.signal` aborts, the run stays as it is, to be continued later.
   * Waits while the API is down.
   * @returns what the work returned
   * @throws ApiRefusalError; the reason of `options.signal` when it aborts
   */
  run<T>(threadId: string, work: (run: Run) => Promise<T> | T, options: RunOptions = {}): Promise<T> {
    const entry = {
      latest: (traceId?: string) => this.latestDelivered(threadId, traceId, options),
      watchCancel: (of: CancelledRun, listener: () => void) => this.watchCancel(of, listener),
    };
    return Run.drive(this, entry, { ...options, threadId, agentId: this.agentId }, work);
  }

  /**
   * Starts a run, or continues it after a restart if its trace is known.
   * @returns the run's ids, with a new trace if none was given; pass them to the other reports
   */
  async start(run: {
    thread_id: string;
    trace_id?: string;
    parent_trace_id?: string;
    model?: string;
  }): Promise<RunIds> {
    const ids = { ...run, trace_id: run.trace_id ?? randomUUID(), agent_id: this.agentId };
    this.cancelled.delete(keyOf(ids));
    await this.report('thread_started', ids);
    const { model: _, ...rest } = ids;
    return rest;
  }

  /** Reports a snapshot after a turn. It copies the snapshot at once: later changes to `history` do not matter. */
  checkpoint(data: CheckpointData): Promise<void> {
    return this.report('checkpoint', data);
  }

  /**
   * Appends messages to the latest checkpoint of the run, as its next step. Several processes may append to one run without replacing each
   * other's messages. The first messages of a run follow the agent's earlier history in the thread. If the server supports it, only new
   * messages are sent. Delivers pending reports first; waits while the API is down.
   * @param signal ends the wait; the messages may be stored all the same
   * @throws ApiRefusalError when the report is refused for good; the reason of `signal` when it aborts; Error once the client is closed
   */
  async append(run: RunIds, messages: readonly unknown[], data: AppendData = {}, signal?: AbortSignal): Promise<void> {
    if (this.closing) throw new Error(CLOSED);
    await this.delivered(signal);
    const checkpoint = { ...data, ...run };
    this.asked.note('checkpoint', checkpoint);
    const eventOf = (id: string, reported: RunIds & AppendData) => this.textOf('checkpoint', reported, id);
    const appender = new RunAppender(this.connection, this.requests, eventOf, signal);
    const mayUseBases = await this.requests.untilResponse(signal, (end) => this.delivery.mayUseBases(end));
    await appender.append(messages, checkpoint, mayUseBases);
  }

  /** Reports that the run is finished. */
  complete(data: EndData): Promise<void> {
    return this.report('thread_completed', data);
  }

  /** Reports that the run failed. @param error for people and programs: a message, or an object of any shape */
  fail(data: EndData, error: unknown): Promise<void> {
    return this.report('thread_error', { ...data, error: error instanceof Error ? { message: error.message } : error });
  }

  /**
   * Reports an event of any type. Resolves when the spool has the event; see `flush` for delivery.
   * @throws TypeError for data that is not JSON, Error once the client is closed, and the spool's errors
   */
  async report(
    type: string,
    data: { thread_id: string; agent_id?: string; [member: string]: unknown } | RunIds,
  ): Promise<void> {
    if (this.closing) throw new Error(CLOSED);
    const text = this.textOf(type, data);
    this.asked.note(type, { ...data });
    const dropped = await this.spool.append([{ threadId: data.thread_id, text }]);
    if (dropped > 0) this.onDropped(dropped);
    this.delivery.wake();
  }

  /**
   * The latest checkpoint of a thread, or null if there is none. It does not include undelivered reports: `flush` first.
   * Give `traceId` if several agents share the thread. While the API is down, waits until `signal` aborts or the client is closed.
   * With `resume: 'safe'` it includes the outcomes of tool calls: give `history_for_model` to the model, unless `repairs` says
   * `not_understood`: then it equals the reported history.
   * @throws ApiRefusalError when the token or the request is wrong
   */
  async latest(threadId: string, options: ResumeOptions & { resume: 'safe' }): Promise<SafeCheckpoint | null>;
  async latest(threadId: string, options?: ResumeOptions): Promise<Checkpoint | null>;
  async latest(threadId: string, options: ResumeOptions = {}): Promise<Checkpoint | null> {
    const response = await this.askLatest(threadId, options);
    const read = options.isExact ? parseExact : JSON.parse;
    return response.kind === 'found' ? (read(response.text) as Checkpoint) : null;
  }

  /**
   * Waits, without polling, for a decision on the tool calls of the run's latest checkpoint, and returns that checkpoint: `status` is
   * `approved` or `rejected`, `approval` has the calls and the decisions. Delivers pending reports first.
   * @param run the run that waits
   * @throws NoDecisionError when nobody decided and nobody can: the tool calls did not arrive, or the run continued or ended without
   * them; also when a person has cancelled the run, whatever was decided before. ApiRefusalError when the run is unknown or the token is
   * wrong; the reason of `signal` when it aborts
   */
  async waitForApproval(run: Pick<RunIds, 'thread_id' | 'trace_id'>, signal?: AbortSignal): Promise<Checkpoint> {
    while (!(await this.flush(1000))) signal?.throwIfAborted();
    let etag: string | undefined;
    for (;;) {
      const options = { traceId: run.trace_id, waitSeconds: etag === undefined ? 0 : WAIT_SECONDS, etag, signal };
      const response = await this.askLatest(run.thread_id, options);
      if (response.kind === 'unknown') throw new ApiRefusalError(404, `the run ${run.trace_id} is not known`);
      if (response.kind === 'unchanged') continue;
      const decided = this.asked.decided(run, JSON.parse(response.text) as Checkpoint);
      if (decided !== null) return decided;
      etag = response.etag;
    }
  }

  /**
   * Asks people questions, as the run's next step, and waits for the answers. Called again with the same questions after a crash, it
   * continues waiting, or returns the answer given meanwhile. Delivers pending reports first; waits while the API is down.
   * @param options of the step, such as `approval_timeout_seconds`; `signal` ends the wait
   * @returns `answers` by question id (`q0`, `q1`, ...), with the defaults when time runs out; null if a person declined, or time ran out
   * and a question has neither a default nor `required: false`
   * @throws Error while a server on the storage is too old to take answers; as `append` and {@link waitForApproval}
   */
  async ask(
    run: RunIds,
    questions: readonly CallQuestion[],
    options: AppendData & { signal?: AbortSignal } = {},
  ): Promise<QuestionAnswer> {
    await this.delivered(options.signal);
    return this.questions.ask(run, questions, options);
  }

  /**
   * Makes a tool call with side effects at most once: claims the effect, runs `make`, and settles it. If any process completed the call
   * before, returns its result without running `make`. Delivers pending reports first. While the API is down it waits before the call, but
   * never after it: the settlement then waits in the spool.
   *
   * A call that throws is in doubt, unless it throws `NoEffectError` or is `idempotent`; the error is rethrown.
   * @param run with `agent_id` if it is not the client's
   * @returns the result of `make`; an earlier result as parsed JSON
   * @throws EffectInDoubtError while nobody knows whether the call was made; EffectRefusedError (`approval_pending`, `effect_mismatch`,
   * ...); ResultOmittedError for an earlier result of more than 1 MiB; ApiRefusalError; the reason of `signal` when it aborts
   */
  async effect<T>(
    run: Pick<RunIds, 'thread_id' | 'trace_id'> & { agent_id?: string },
    call: EffectCall,
    make: (attempt: EffectAttempt) => Promise<T> | T,
  ): Promise<T> {
    const { signal } = call;
    await this.delivered(signal);
    const { thread_id, trace_id, agent_id = this.agentId } = run;
    const fence = call.fence ?? this.leases.fenceFor(run) ?? undefined;
    return this.effects.make({ thread_id, trace_id, agent_id }, { ...call, fence }, make);
  }

  /**
   * Sends a file to the run's chat; it goes out with the answer when the run ends well. A run without a chat only has it in its log. The
   * file is stored at the server first; waits while that is down.
   * @param file its path, or its bytes; at most 50 MiB
   * @throws whatever reading the file throws; ApiRefusalError; the reason of `signal` when it aborts; Error once the client is closed
   */
  async attach(run: RunIds, file: string | Uint8Array, options: AttachOptions = {}): Promise<void> {
    if (this.closing) throw new Error(CLOSED);
    await this.report(ATTACHMENT, { ...run, ...(await this.files.store(run.thread_id, file, options)) });
  }

  /**
   * Leases a run, so that only this process drives it: other processes' reports of it and its sub-runs are refused. The client renews the
   * lease until it is released or lost, and puts its fence into reports and claims of effects. The run need not have begun.
   * Delivers pending reports first; waits while the API is down.
   *
   * Under `waystation agent`, which has already leased the run, this is that process's lease.
   * @param run with `agent_id` if it is not the client's
   * @throws LeaseHeldError while another process holds it; ApiRefusalError; the reason of `signal` when it aborts
   */
  lease(run: LeasedRun & { agent_id?: string }, options: LeaseOptions = {}): Promise<RunLease> {
    return this.leases.claim({ ...run, agent_id: run.agent_id ?? this.agentId }, options);
  }

  /**
   * Waits until the API has stored, or refused for good, every report.
   * @param timeoutMs limit in milliseconds
   * @returns false on timeout; nothing is lost
   */
  flush(timeoutMs = 30_000): Promise<boolean> {
    this.end.signal.throwIfAborted();
    return this.delivery.drained(timeoutMs);
  }

  /**
   * Accepts no more reports, flushes, then releases leases and stops. Undelivered reports stay in the spool; then leases expire. Closing
   * again changes nothing.
   * @param timeoutMs limit in milliseconds
   * @returns whether everything was delivered
   */
  close(timeoutMs = 5_000): Promise<boolean> {
    this.closing ??= this.shutDown(timeoutMs);
    return this.closing;
  }

  private async shutDown(timeoutMs: number): Promise<boolean> {
    const isDone = await this.flush(timeoutMs);
    if (isDone) await this.leases.releaseAll();
    this.leases.stop();
    this.end.abort(new Error(CLOSED));
    await this.delivery.stop();
    return isDone;
  }

  private textOf(type: string, data: { agent_id?: string; [member: string]: unknown } | RunIds, id?: string): string {
    const fence = this.leases.fenceFor(data);
    const text = stringifyExact({ ...data, agent_id: data.agent_id ?? this.agentId });
    return this.stamper.stamp(type, text, { id, fence });
  }

  private async delivered(signal?: AbortSignal): Promise<void> {
    while (!(await this.flush(1000))) signal?.throwIfAborted();
  }

  private tellRejected(rejected: RejectedReport): void {
    if (rejected.code === 'stale_fence') this.leases.check();
    this.onRejected(rejected);
  }

  /** The checkpoint that a run continues from, after delivering what an earlier process left in the spool. */
  private async latestDelivered(
    threadId: string,
    traceId: string | undefined,
    { resume, signal }: RunOptions,
  ): Promise<Checkpoint | null> {
    if (this.closing) throw new Error(CLOSED);
    await this.delivered(signal);
    const whole = resume === undefined ? { isForResume: true } : { resume };
    return this.latest(threadId, { traceId, agentId: this.agentId, isExact: true, signal, ...whole });
  }

  /** @returns a function that stops watching */
  private watchCancel(run: CancelledRun, listener: () => void): () => void {
    this.cancelListeners.set(keyOf(run), listener);
    return () => this.cancelListeners.delete(keyOf(run));
  }

  private tellCancelled(run: CancelledRun): void {
    if (this.cancelled.has(keyOf(run))) return;
    this.cancelled.add(keyOf(run));
    this.cancelListeners.get(keyOf(run))?.();
    this.onCancel(run);
  }

  private askLatest(threadId: string, options: LatestOptions) {
    return this.requests.untilResponse(options.signal, (signal) =>
      readLatest(this.connection, threadId, { ...options, signal }),
    );
  }
}

function keyOf({ thread_id, trace_id }: CancelledRun): string {
  return JSON.stringify([thread_id, trace_id]);
}
