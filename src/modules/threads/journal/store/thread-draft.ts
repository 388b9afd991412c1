import type { Reporter } from '../../bindings/reporter.js';
import { isThreadsOwn, STANDING } from '../../bindings/standing.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { SeenEvent } from '../../entities/seen-event.entity.js';
import type { ThreadAgent } from '../../entities/thread-agent.entity.js';
import { NOT_STARTED, type Thread } from '../../entities/thread.entity.js';
import { ThreadLeases } from '../../leases/thread-leases.js';
import { addAmount } from '../../../../common/amounts.js';
import type { LongText } from '../../../../common/long-text.js';
import type { ThreadEvent } from '../../entities/thread-event.entity.js';
import { NewMessages } from './new-messages.js';
import { isEnded } from '../../../../common/contract/run-status.js';
import { DraftFacts } from './draft-facts.js';
import { rememberedRuns } from './remembered-state.js';
import { copyOfAgent, copyOfRun, copyOfThread } from './row-copies.js';
import { RunSums } from './run-sums.js';
import { TracedRuns } from './traced-runs.js';
import { blankAgent, currentAgentOf, pendingCalls, type RunState, type ThreadState } from '../rules/thread-state.js';

export type NewEvent = Omit<ThreadEvent, 'data' | 'change_no'> & { data: string | LongText | null };

/**
 * A changing thread: a copy of what the transaction touches, and the rows it will write.
 * The committed state stays as it is until the commit.
 */
export class ThreadDraft {
  readonly row: Thread;
  readonly agents = new Map<string, ThreadAgent>();
  readonly leases: ThreadLeases;
  readonly newCheckpoints = new Set<Checkpoint>();
  readonly changedCheckpoints = new Map<number, Checkpoint>();
  readonly newMessages = new NewMessages();
  readonly newEvents: NewEvent[] = [];
  readonly newSeen: SeenEvent[] = [];
  readonly facts = new DraftFacts();
  readonly changedRuns = new Set<RunState>();
  readonly sums = new RunSums();
  /** Whether anything changed that readers can see. */
  isChanged = false;
  /** The first report has come for a thread that a lease or an effect's claim had created. */
  isStarted = false;
  /** A person retried a run after a pause. */
  isResumed = false;
  /** Whether any change is news. A mere restart or a restored end is not. */
  private isNews = false;
  private readonly touched = new TracedRuns();
  private readonly stored: TracedRuns;
  private hasNewAgents = false;
  private newDigests: Set<string> | null = null;
  private seqBeforeJob: number;
  private isTouchedByJob = false;

  constructor(
    base: ThreadState,
    readonly isNew: boolean,
    readonly nowMs: number,
  ) {
    this.row = copyOfThread(base.row);
    this.seqBeforeJob = base.row.last_seq;
    this.stored = new TracedRuns(base.runs);
    this.leases = new ThreadLeases(base.leases);
    for (const [id, agent] of base.agents) this.agents.set(id, copyOfAgent(agent));
  }

  get pk(): number {
    return this.row.pk;
  }

  get runs(): ReadonlyMap<number, RunState> {
    return this.touched.byNumber;
  }

  /** The runs in memory as they are stored, by number. */
  get known(): ReadonlyMap<number, RunState> {
    return this.stored.byNumber;
  }

  /** The drafts of the runs with a trace, in order; empty if the trace is unknown or not loaded. */
  knownRuns(traceId: string): RunState[] {
    return this.peekAt(traceId).map((run) => this.runs.get(run.row.run_no) ?? this.touched.add(copyOfRun(run)));
  }

  knownRunByNumber(runNo: number): RunState | null {
    const stored = this.runs.has(runNo) ? null : this.known.get(runNo);
    if (stored) this.knownRuns(stored.row.trace_id);
    return this.runs.get(runNo) ?? null;
  }

  /** The run as it will be, if it is in memory. Do not change it. */
  peek(runNo: number): RunState | null {
    return this.runs.get(runNo) ?? this.known.get(runNo) ?? null;
  }

  /** The same for the runs with a trace. */
  peekAt(traceId: string): readonly RunState[] {
    const drafted = this.touched.ofTrace(traceId);
    return drafted.length > 0 ? drafted : this.stored.ofTrace(traceId);
  }

  /** Keeps a loaded run unless memory has it. */
  learn(run: RunState): void {
    if (!this.known.has(run.row.run_no)) this.stored.add(run);
  }

  /** The number of the next change. Changes that are no news leave the thread's times alone. */
  nextSeq(isNews = true): number {
    this.change();
    this.isNews ||= isNews;
    this.row.last_seq += 1;
    return this.row.last_seq;
  }

  addRun(run: RunState): void {
    this.change();
    this.touched.add(run);
    this.changedRuns.add(run);
    const agent = this.agent(run.row.agent_id, run.row.run_no);
    if (agent.own_run === 0) agent.own_run = run.row.run_no;
    if (isEnded(run.row.status)) return;
    agent.open_runs += Number(!run.row.is_sub_agent);
    this.row.open_runs += 1;
  }

  setRunStatus(run: RunState, status: string, isNews = true): void {
    if (run.row.status === status) return;
    const change = Number(isEnded(run.row.status)) - Number(isEnded(status));
    const agent = this.agent(run.row.agent_id, run.row.run_no);
    this.countPending(run, () => (run.row.status = status));
    if (!run.row.is_sub_agent) agent.open_runs += change;
    this.row.open_runs += change;
    if (isNews) run.row.updated_at = this.nowMs;
    this.changedRuns.add(run);
    this.change();
    this.facts.noteStatus();
  }

  /**
   * Creates the thread for a lease or an effect's claim: no start time, nothing carried forward or superseded, so that its first report
   * opens it as if it were unknown. Returns the number of the change.
   */
  makeKnown(): number {
    if (this.isNew && !this.isChanged) this.row.started_at = NOT_STARTED;
    // Not shown before the first report; retention uses it to find a thread that never gets one.
    if (this.row.started_at === NOT_STARTED) this.row.updated_at = this.nowMs;
    return this.nextSeq(false);
  }

  setMark(run: RunState, mark: RunState['mark']): void {
    if (run.mark === null && mark === null) return;
    run.mark = mark;
    run.row.mark = mark && JSON.stringify(mark);
    this.changeRun(run);
  }

  setRun<K extends keyof Run>(run: RunState, key: K, value: Run[K]): void {
    if (run.row[key] === value) return;
    run.row[key] = value;
    this.changeRun(run);
  }

  addCheckpoint(row: Checkpoint): void {
    this.change();
    this.newCheckpoints.add(row);
  }

  /**
   * Changes columns of a checkpoint and returns the new row. The given row stays unchanged: committed states and this draft's counts use
   * it.
   */
  amendCheckpoint(row: Checkpoint, change: Partial<Checkpoint>): Checkpoint {
    this.change();
    const amended = { ...row, ...change };
    if (this.newCheckpoints.delete(row)) this.newCheckpoints.add(amended);
    else this.changedCheckpoints.set(row.seq, amended);
    return amended;
  }

  /** Stored rows with this draft's changes, and the rows it adds. */
  overlay(stored: readonly Checkpoint[], isWanted: (row: Checkpoint) => boolean): Checkpoint[] {
    const rows = stored.map((row) => this.changedCheckpoints.get(row.seq) ?? row);
    for (const row of this.newCheckpoints) if (isWanted(row)) rows.push(row);
    return rows;
  }

  setLatest(run: RunState, row: Checkpoint): void {
    this.countPending(run, () => (run.latest = row));
    run.highestStepEver = Math.max(run.highestStepEver, row.is_initial ? -1 : row.step_index);
  }

  /** Runs `change` and updates the thread's count of pending approvals. */
  countPending(run: RunState, change: () => void): void {
    const before = Number(pendingCalls(run) !== null);
    change();
    this.row.pending_approvals += Number(pendingCalls(run) !== null) - before;
  }

  noteProgress({ row }: RunState, agentId: string): void {
    this.change();
    if (isThreadsOwn(row.began_by, this.agents.values())) this.row.current_run = row.run_no;
    this.agent(agentId, row.run_no).latest_run = row.run_no;
    const owner = this.agent(row.agent_id, row.run_no);
    owner.own_run = row.run_no;
    owner.progress_seq = this.row.last_seq;
  }

  /** The current run of a bound reporter's agents, otherwise of the thread; 0 for none. */
  currentRunOf(reporter: Reporter): number {
    return reporter.isBound ? (currentAgentOf(this.agents.values(), reporter)?.own_run ?? 0) : this.row.current_run;
  }

  /** Raises the standing of the run's agent. The thread's first own agent replaces the guest that it showed. */
  raiseStanding({ row, latest }: RunState, standing: number): void {
    const agent = this.agent(row.agent_id, row.run_no);
    if (agent.standing >= standing) return;
    const isFirstOwn =
      standing === STANDING.own && ![...this.agents.values()].some((other) => other.standing === standing);
    agent.standing = standing;
    this.change();
    if (isFirstOwn) this.row.current_run = latest ? row.run_no : 0;
  }

  /** Adds to the totals over all runs and attempts, which stop at 2^53 - 1. */
  addTotals(tokens: number, costUsd: number): void {
    this.row.total_tokens = addAmount(this.row.total_tokens, tokens);
    this.row.total_cost_usd = addAmount(this.row.total_cost_usd, costUsd);
  }

  addEvent(event: Pick<NewEvent, 'kind' | 'type' | 'run_no' | 'step_index' | 'data'>, isNews = true): void {
    this.newEvents.push({ thread_pk: this.pk, seq: this.nextSeq(isNews), ...event, created_at: this.nowMs });
  }

  /** Adds the idle time before a retry. */
  addPause(ms: number): void {
    this.row.paused_ms += ms;
    this.isResumed = true;
  }

  addSeen(digest: string): void {
    this.newSeen.push({ thread_pk: this.pk, digest });
    this.newDigests = (this.newDigests ?? new Set()).add(digest);
  }

  hasSeen(digest: string): boolean {
    return this.newDigests?.has(digest) === true;
  }

  agent(agentId: string, runNo: number): ThreadAgent {
    const known = this.agents.get(agentId);
    if (known) return known;
    const agent = blankAgent(this.pk, agentId, runNo, this.nowMs);
    this.agents.set(agentId, agent);
    this.hasNewAgents = true;
    return agent;
  }

  /**
   * Updates the thread's row from its runs. Call this after each job, before participants are told.
   * @param shown the checkpoint that the thread's readers see; null while there is none
   * @param lastMessage of the shown run, as the row stores it
   */
  show(shown: Checkpoint | null, lastMessage: string | null): void {
    if (shown) {
      this.row.latest_seq = shown.seq;
      this.row.status = shown.status;
      this.row.model = shown.model;
      this.row.last_message = lastMessage;
    }
    if (!this.isNews) return;
    if (this.row.started_at === NOT_STARTED) {
      this.row.started_at = this.nowMs;
      this.isStarted = true;
    }
    this.row.updated_at = this.nowMs;
    for (const agent of this.agents.values()) agent.updated_at = this.nowMs;
  }

  /** Call this after each job: whatever a job wrote must change the number, which tells other instances that their memory is stale. */
  finishJob(): void {
    if (this.isTouchedByJob && this.row.last_seq === this.seqBeforeJob) this.row.last_seq += 1;
    this.seqBeforeJob = this.row.last_seq;
    this.isTouchedByJob = false;
  }

  /** Call this once, before the rows are written. */
  finish(): void {
    if (this.hasNewAgents) this.row.agents = JSON.stringify([...this.agents.keys()]);
    if (this.isChanged) this.sums.count(this.runs.values(), this.known);
  }

  private change(): void {
    this.isChanged = true;
    this.isTouchedByJob = true;
  }

  private changeRun(run: RunState): void {
    this.changedRuns.add(run);
    this.isTouchedByJob = true;
  }

  get isTouched(): boolean {
    return this.isChanged || this.changedRuns.size > 0;
  }

  committed(seen: ThreadState['seen']): ThreadState {
    const runs = rememberedRuns(this.known, this.runs);
    return { row: this.row, agents: this.agents, runs, leases: this.leases.committed(), seen };
  }
}
