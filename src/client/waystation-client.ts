import { randomUUID } from 'node:crypto';
import { parseExact, stringifyExact } from '../common/exact-number.js';
import type { CallQuestion } from './api/questions.js';
import { ApiConnection } from './api-connection.js';
import { printError, outageLines, OutageNotice } from './outage-notice.js';
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
  /** A report was refused for good and dropped. Default: a line on standard error. */
  onRejected?: (rejected: RejectedReport) => void;
  /** The spool was full, and that many of the oldest reports are lost. Default: a line on standard error. */
  onDropped?: (count: number) => void;
  /**
   * A person has cancelled the run: stop working on it. Called once for each start of a run, after the answer to its next report. A
   * program that reports nothing for long can watch `latest` for the status `cancelled`.
   */
  onCancel?: (run: CancelledRun) => void;
  /** Another process has taken over a run that this client had leased: stop working on it. Its reports are refused. */
  onLeaseLost?: (run: LeasedRun) => void;
  /**
   * Reports cannot be delivered at the moment, such as because no server answers; they wait. Called once until delivery works again.
   * Default: a line on standard error, and another when it does.
   */
  onTrouble?: (reason: string) => void;
  /** Delivery works again. */
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
  private isClosed = false;

  /** @throws ClientSettingError when the address, the token or the agent is missing or unusable; no request is sent */
  constructor(options: WaystationClientOptions = {}) {
    const { api, token, agentId } = clientSettings(options);
    this.agentId = agentId;
    this.connection = new ApiConnection(api, token);
    this.notice = new OutageNotice(
      options.onTrouble || options.onRecovered ? options : outageLines(() => this.connection.url),
    );
    this.spool = options.spool ?? new MemorySpool();
    this.onCancel = options.onCancel ?? (() => undefined);
    this.onRejected =
      options.onRejected ?? (({ code, detail }) => printError(`a report was refused (${code}): ${detail}`));
    this.onDropped =
      options.onDropped ?? ((count) => printError(`the spool is full: the ${count} oldest reports are lost`));
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
    this.leases = new LeaseKeeper(this.connection, this.requests, deliver, (run) => options.onLeaseLost?.(run));
    // A durable spool may hold what an earlier process left.
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
   * It delivers pending reports and asks for the agent's latest checkpoint in the thread. A run that has begun and not ended goes on
   * under its trace; else a new one begins. `run.history` is what was said so far. The return of the work completes the run, an error
   * fails it and comes through. A process that ends, or `options.signal` that aborts, leaves the run as it is, to go on with it later.
   * While the API is down it waits.
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
   * Stores messages behind the latest checkpoint of the run, as its next step. Several processes may append to one run: none replaces
   * what another one has stored. The first messages of a run begin with what its agent said in the thread before. Only what is new is
   * sent, once the server has announced that it understands that. It delivers pending reports first; while the API is down it waits.
   * @param signal ends the wait; the messages may be stored all the same
   * @throws ApiRefusalError when the report is refused for good; the reason of `signal` when it aborts; Error once the client is closed
   */
  async append(run: RunIds, messages: readonly unknown[], data: AppendData = {}, signal?: AbortSignal): Promise<void> {
    if (this.isClosed) throw new Error(CLOSED);
    await this.delivered(signal);
    const checkpoint = { ...data, ...run };
    this.asked.note('checkpoint', checkpoint);
    const eventOf = (id: string, reported: RunIds & AppendData) => this.textOf('checkpoint', reported, id);
    const appender = new RunAppender(this.connection, this.requests, eventOf, signal);
    const mayUseBases = await this.requests.untilResponse(signal, (end) => this.delivery.mayUseBases(end));
    await appender.append(messages, checkpoint, mayUseBases);
  }

  /** The run is finished. */
  complete(data: EndData): Promise<void> {
    return this.report('thread_completed', data);
  }

  /** The run failed. @param error for people and programs: a message, or an object of any shape */
  fail(data: EndData, error: unknown): Promise<void> {
    return this.report('thread_error', { ...data, error: error instanceof Error ? { message: error.message } : error });
  }

  /**
   * Reports an event of any type. When it resolves the spool has the event; see `flush` for delivery.
   * @throws TypeError for data that is not JSON, Error once the client is closed, and the spool's errors
   */
  async report(
    type: string,
    data: { thread_id: string; agent_id?: string; [member: string]: unknown } | RunIds,
  ): Promise<void> {
    if (this.isClosed) throw new Error(CLOSED);
    const text = this.textOf(type, data);
    this.asked.note(type, { ...data });
    const dropped = await this.spool.append([{ threadId: data.thread_id, text }]);
    if (dropped > 0) this.onDropped(dropped);
    this.delivery.wake();
  }

  /**
   * The latest checkpoint of a thread, or null if there is none. It does not include undelivered reports: `flush` first.
   * Give `traceId` if several agents share the thread. While the API is down it waits until `signal` aborts or the client is closed.
   * With `resume: 'safe'` it also tells what became of the tool calls: give `history_for_model` to the model,
   * unless `repairs` says `not_understood`: that history is given as it was reported.
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
   * `approved` or `rejected`, `approval` has the calls and the decisions. It delivers pending reports first.
   * @param run the run that waits
   * @throws NoDecisionError when nobody decided and nobody can: the tool calls did not arrive, or the run continued or ended without
   * them; when a person has cancelled the run, whatever was decided before; ApiRefusalError when the run is unknown or the token is wrong;
   * the reason of `signal` when it aborts
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
   * Asks people questions, as the run's next step, and waits for the answers. Called again after a crash, with the same questions, it
   * goes on waiting, or returns the answer that came meanwhile. It delivers pending reports first; while the API is down it waits.
   * @param options of the step, such as `approval_timeout_seconds`; `signal` ends the wait
   * @returns `answers` by the ids of the questions (`q0`, `q1`, ...), at the end of the time the defaults; null where a person declined,
   * or time ran out and a question has neither a default nor `required: false`
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
   * Makes a tool call that changes the world, at most once: claims the effect, runs `make`, and settles it. Where the call was completed
   * before, by whatever process, its result comes back and `make` does not run. It delivers pending reports first. While the API is down
   * it waits before the call, never after it: the settling then waits in the spool.
   *
   * A call that throws is in doubt, unless it throws `NoEffectError` or is `idempotent`; the error comes through.
   * @param run with `agent_id` where it is not the client's
   * @returns what `make` gave; a result from before as JSON has it
   * @throws EffectInDoubtError while nobody knows whether the call was made; EffectRefusedError (`approval_pending`, `effect_mismatch`, ...);
   * ResultOmittedError for a result of more than 1 MiB from before; ApiRefusalError; the reason of `signal` when it aborts
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
   * Sends a file to the chat that the run answers: it goes out with the answer when the run ends well. A run without a chat only has it
   * in its log. The file is stored at the server first; while that is down it waits.
   * @param file its path, or its bytes; at most 50 MiB
   * @throws what reading the file does; ApiRefusalError; the reason of `signal` when it aborts; Error once the client is closed
   */
  async attach(run: RunIds, file: string | Uint8Array, options: AttachOptions = {}): Promise<void> {
    if (this.isClosed) throw new Error(CLOSED);
    await this.report(ATTACHMENT, { ...run, ...(await this.files.store(run.thread_id, file, options)) });
  }

  /**
   * Leases a run, so that only this process drives it: whatever others report of the run or of those below it is refused. The client
   * renews the lease until it is released or lost, and puts its fence into reports and claims of effects. The run need not have begun.
   * It delivers pending reports first; while the API is down it waits.
   *
   * Under `waystation agent`, which has leased the run already, this is that process's lease.
   * @param run with `agent_id` where it is not the client's
   * @throws LeaseHeldError while another process holds it; ApiRefusalError; the reason of `signal` when it aborts
   */
  lease(run: LeasedRun & { agent_id?: string }, options: LeaseOptions = {}): Promise<RunLease> {
    return this.leases.claim({ ...run, agent_id: run.agent_id ?? this.agentId }, options);
  }

  /**
   * Waits until the API has stored, or refused for good, every report.
   * @param timeoutMs milliseconds at most
   * @returns false on timeout; nothing is lost
   */
  flush(timeoutMs = 30_000): Promise<boolean> {
    this.end.signal.throwIfAborted();
    return this.delivery.drained(timeoutMs);
  }

  /**
   * Accepts no more reports, flushes, then releases leases and stops. Undelivered reports stay in the spool; then leases run out.
   * @param timeoutMs milliseconds at most
   * @returns whether everything was delivered
   */
  async close(timeoutMs = 5_000): Promise<boolean> {
    this.isClosed = true;
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

  /** The checkpoint that a run goes on from, after what an earlier process left in the spool was delivered. */
  private async latestDelivered(
    threadId: string,
    traceId: string | undefined,
    { resume, signal }: RunOptions,
  ): Promise<Checkpoint | null> {
    if (this.isClosed) throw new Error(CLOSED);
    await this.delivered(signal);
    const whole = resume === undefined ? { isForResume: true } : { resume };
    return this.latest(threadId, { traceId, agentId: this.agentId, isExact: true, signal, ...whole });
  }

  /** @returns ends it */
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
