import type { SqlReader } from '../../../database/database.js';
import type { KindredRun } from '../bindings/run-kinship.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Run } from '../entities/run.entity.js';
import { isEnded } from '../../../common/contract/run-status.js';
import { leasesAbove } from '../leases/leases-above.js';
import type { RunLease } from '../leases/run-lease.entity.js';
import type { SameReports } from './event-digests.js';
import { ownTails, type HeldLists } from './held-lists.js';
import type { CallerRow, JournalRepository, ReportOutline } from './journal.repository.js';
import { StoredKin } from './stored-kin.js';
import { loadRunState, loadTailsOfAgent, loadTailsOfRun } from './stored-lists.js';
import type { ThreadDraft } from './thread-draft.js';
import { NO_TAILS, pendingCalls, type ListTails, type RunState } from './thread-state.js';

/** Messages of more digests than this are not looked for one by one. */
const MAX_WANTED = 200;

const NONE: ReadonlySet<string> = new Set();

/**
 * The stored rows of one thread that a transaction looks at. Looking is synchronous: if rows are not in memory, the answer is empty and
 * the rows are noted as missing. So a caller looks first, then checks `isMissing` before it changes anything. If rows are missing, it
 * awaits `load` and looks again.
 */
export class StoredRows {
  readonly kin: StoredKin;
  /** All runs with these traces are in memory. */
  private traces: Set<string> | null = null;
  /** Answers for the event being applied, by question. */
  private answers: Map<string, unknown> | null = null;
  /** Answers that hold for the whole transaction. */
  private lastingAnswers: Map<string, unknown> | null = null;
  private wanted: (() => Promise<void>)[] = [];
  /** Digests of the transaction's own events so far. */
  private marked: Set<string> | null = null;

  constructor(
    readonly draft: ThreadDraft,
    readonly reader: SqlReader,
    readonly repository: JournalRepository,
    readonly heldLists: HeldLists,
    /** Digests of events that the thread has seen; at least those among the ones of the transaction. */
    private readonly seen: ReadonlySet<string> = NONE,
  ) {
    this.kin = new StoredKin(draft, reader, repository);
  }

  /** Whether a caller looked for rows that are not in memory. */
  get isMissing(): boolean {
    return this.wanted.length > 0;
  }

  /** Loads the missing rows. */
  async load(): Promise<void> {
    const { wanted } = this;
    this.wanted = [];
    for (const loadOne of wanted) await loadOne();
  }

  /** Repeats `look` until nothing is missing, and answers what it found. */
  async find<T>(look: () => T): Promise<T> {
    for (;;) {
      const found = look();
      if (!this.isMissing) return found;
      await this.load();
    }
  }

  /** Notes the runs that a batch names, to load them together. */
  expect(traceIds: ReadonlySet<string>): void {
    if (this.draft.isNew) return;
    const unknown = [...traceIds].filter((traceId) => this.draft.peekAt(traceId).length === 0);
    if (unknown.length > 0) this.wanted.push(() => this.loadRuns(unknown));
    if (this.draft.row.last_fence === 0) return;
    const unleased = [...traceIds].filter((traceId) => !this.draft.leases.ofTrace(traceId));
    if (unleased.length > 0) this.wanted.push(() => this.loadLeases(unleased));
  }

  /** Call this after each event: its answers may not hold for the next one. */
  forgetAnswers(): void {
    this.answers = null;
  }

  /** @param digest one of the transaction's; undefined for an event that leaves no digest */
  isSeen(digest: string | undefined): boolean {
    return digest !== undefined && (this.seen.has(digest) || this.marked?.has(digest) === true);
  }

  markSeen(digest: string | undefined): void {
    if (digest === undefined || this.isSeen(digest)) return;
    this.marked = (this.marked ?? new Set()).add(digest);
    this.draft.addSeen(digest);
  }

  /** The runs with a trace, in the order in which they were first seen. */
  runsOf(traceId: string): RunState[] {
    const known = this.draft.knownRuns(traceId);
    if (known.length === 0 && !this.draft.isNew && this.traces?.has(traceId) !== true) {
      this.wanted.push(() => this.loadRuns([traceId]));
    }
    return known;
  }

  runByNumber(runNo: number): RunState | null {
    const known = this.draft.knownRunByNumber(runNo);
    if (!known && runNo !== 0) this.ask(`run ${runNo}`, () => this.loadRun(runNo), undefined);
    return known;
  }

  /**
   * The leases of the runs with a trace, in the order of their numbers; none where the thread never had one.
   * @param isFresh with what other servers have renewed since; their fences are always the present ones
   */
  leasesOf(traceId: string, isFresh = false): readonly RunLease[] {
    const { leases, row } = this.draft;
    if (row.last_fence === 0) return [];
    const known = isFresh && !leases.isFresh(traceId) ? undefined : leases.ofTrace(traceId);
    if (!known) this.wanted.push(() => this.loadLeases([traceId]));
    return known ?? [];
  }

  /** The leases above a run, the nearest first: those of the runs that called it, as far as they are known. */
  leasesAbove(run: KindredRun): readonly RunLease[] {
    const leasesOf = (traceId: string) => this.find(() => this.leasesOf(traceId));
    const load = () => leasesAbove(run, (traceId) => this.kin.rowsOf(traceId), leasesOf);
    return this.ask<readonly RunLease[]>(`leases above ${run.run_no}`, load, [], true);
  }

  /** The known callers of a run, the nearest first. A circle ends the chain. */
  callersOf({ row }: RunState): readonly CallerRow[] {
    const load = async () => (await this.kin.callersOf([row])).get(row.run_no)!;
    return this.ask<readonly CallerRow[]>(`callers ${row.run_no}`, load, [], true);
  }

  /** The runs of an agent that wait for a person. */
  waitingRunsOf(agentId: string): RunState[] {
    const { repository, reader, draft } = this;
    this.take(`waiting ${agentId}`, () => repository.waitingRunsOfAgent(reader, draft.pk, agentId));
    return [...draft.runs.values()].filter((run) => run.row.agent_id === agentId && pendingCalls(run) !== null);
  }

  /** The runs of an agent that have not ended. */
  openRunsOf(agentId: string): RunState[] {
    const { repository, reader, draft } = this;
    this.take(`open ${agentId}`, () => repository.openRunsOfAgent(reader, draft.pk, agentId));
    return [...draft.runs.values()].filter(({ row }) => row.agent_id === agentId && !isEnded(row.status));
  }

  /** The open runs below one of these runs, in the order in which they were first seen. */
  openRunsBelow(runs: readonly RunState[]): readonly RunState[] {
    const question = `below ${runs.map(({ row }) => row.run_no).join()}`;
    return this.ask<readonly RunState[]>(question, () => this.findOpenBelow(runs), [], true);
  }

  /**
   * Of the reports of a step of the run, replaced ones and earlier attempts included, those that count for another one: the one that it
   * replaces, those that somebody has decided on, and the one that says the same. There may be any number of others.
   * @param same null for an event with an id
   */
  reportsOf({ row: run, highestStepEver }: RunState, step: number, same: SameReports | null): readonly Checkpoint[] {
    if (step > highestStepEver) return [];
    const { draft, repository, reader } = this;
    const look = () => repository.reportsOfStep(reader, run, step);
    const all = this.askOnce<readonly ReportOutline[]>(`step ${run.run_no} ${step}`, look, []);
    const said = same?.firstAmong(all)?.seq;
    const counts = ({ seq, attempt, is_current, is_decided }: ReportOutline) =>
      seq === said || is_decided || (is_current && attempt === run.attempt) || draft.changedCheckpoints.has(seq);
    const seqs = all.filter(counts).map(({ seq }) => seq);
    const load = () => repository.checkpointsBySeq(reader, draft.pk, seqs);
    const stored = seqs.length === 0 ? [] : this.ask<readonly Checkpoint[]>(`reports ${seqs.join()}`, load, []);
    const isOfStep = (row: Checkpoint) => row.run_no === run.run_no && row.step_index === step && !row.is_initial;
    return draft.overlay(stored, isOfStep);
  }

  /** The checkpoints whose reports were replayed since the run was started again. */
  replayedOf({ row, mark }: RunState): readonly Checkpoint[] {
    const seqs = mark?.replayed ?? [];
    if (seqs.length === 0) return [];
    const load = () => this.repository.checkpointsBySeq(this.reader, this.draft.pk, seqs);
    const stored = this.ask<readonly Checkpoint[]>(`replayed ${row.run_no}`, load, []);
    return this.draft.overlay(stored, ({ seq }) => seqs.includes(seq));
  }

  /**
   * The last non-empty lists of an agent's runs, which its next run continues.
   * @param isOwnOnly leaves out what the agent said in runs of other agents
   */
  tailsOf(agentId: string, isOwnOnly: boolean): ListTails {
    const agent = this.draft.agents.get(agentId);
    if (!agent) return NO_TAILS;
    const run = this.runByNumber(isOwnOnly ? agent.own_run : agent.latest_run);
    if (this.isMissing) return NO_TAILS;
    const own = run ? ownTails(this, run) : NO_TAILS;
    if (this.isMissing || own.history.count > 0) return own;
    return this.ask(`tails ${agentId}`, () => loadTailsOfAgent(this, agentId, isOwnOnly), NO_TAILS, true);
  }

  /** The last lists of a run of which the database has to say what they are; from then on the run has them. */
  tailsOfRun(run: RunState): ListTails {
    this.wanted.push(async () => void Object.assign(run, await loadTailsOfRun(this, run.row)));
    return NO_TAILS;
  }

  /**
   * Digests of the stored messages behind a place of the log.
   * @param wanted digests to look for; where they are many, the answer has others, too
   */
  messagesBehind(place: number, wanted: ReadonlySet<string>): readonly { digest: string; seq: number }[] {
    const few = wanted.size <= MAX_WANTED ? [...wanted] : null;
    const load = () => this.repository.messagesBehind(this.reader, this.draft.pk, place, few);
    return this.ask<readonly { digest: string; seq: number }[]>(`behind ${place} ${few?.join() ?? ''}`, load, []);
  }

  /** @param meanwhile the answer until the rows are loaded, and for a new thread, which has none */
  ask<T>(question: string, load: () => Promise<T>, meanwhile: T, isOfDraft = false): T {
    if (this.answers?.has(question)) return this.answers.get(question) as T;
    if (isOfDraft || !this.draft.isNew) {
      this.wanted.push(async () => {
        const answer = await load();
        (this.answers ??= new Map()).set(question, answer);
      });
    }
    return meanwhile;
  }

  /** The same for what the transaction does not change: it is loaded once. */
  private askOnce<T>(question: string, load: () => Promise<T>, meanwhile: T): T {
    if (this.lastingAnswers?.has(question)) return this.lastingAnswers.get(question) as T;
    if (!this.draft.isNew) {
      this.wanted.push(async () => {
        const answer = await load();
        (this.lastingAnswers ??= new Map()).set(question, answer);
      });
    }
    return meanwhile;
  }

  /** Brings stored runs into the draft. From then on it knows of them what changes. */
  private take(question: string, find: () => Promise<Pick<Run, 'run_no' | 'trace_id'>[]>): void {
    const load = async () => {
      const rows = await find();
      const unknown = rows.filter(({ run_no }) => !this.draft.peek(run_no));
      if (unknown.length > 0) await this.loadRuns([...new Set(unknown.map(({ trace_id }) => trace_id))]);
      return rows.map(({ run_no }) => run_no);
    };
    for (const runNo of this.askOnce<readonly number[]>(question, load, [])) this.draft.knownRunByNumber(runNo);
  }

  /** Looks at rows alone first: the texts of runs that are not meant are not needed. */
  private async findOpenBelow(runs: readonly RunState[]): Promise<RunState[]> {
    const below: RunState[] = [];
    for (const runNo of await this.kin.openBelow(new Set(runs.map(({ row }) => row.run_no)))) {
      const run = await this.find(() => this.runByNumber(runNo));
      if (run) below.push(run);
    }
    return below;
  }

  private async loadLeases(traceIds: readonly string[]): Promise<void> {
    const { draft } = this;
    const rows = draft.isNew ? [] : await this.repository.leases.ofTraces(this.reader, draft.pk, traceIds);
    for (const traceId of traceIds) {
      const own = rows.filter(({ trace_id }) => trace_id === traceId);
      draft.leases.learn(traceId, own);
    }
  }

  private async loadRun(runNo: number): Promise<void> {
    const row = await this.repository.runByNumber(this.reader, this.draft.pk, runNo);
    if (row) await this.loadRuns([row.trace_id]);
  }

  /** Loads all runs of a trace or none: if one is in memory, nobody looks for the others. */
  private async loadRuns(traceIds: readonly string[]): Promise<void> {
    const unknown = traceIds.filter((traceId) => this.traces?.has(traceId) !== true);
    if (unknown.length === 0) return;
    const rows = await this.repository.runsByTraces(this.reader, this.draft.pk, unknown);
    for (const row of rows) this.draft.learn(this.heldLists.noteLoaded(await loadRunState(this, row)));
    this.traces ??= new Set();
    for (const traceId of unknown) this.traces.add(traceId);
  }
}
