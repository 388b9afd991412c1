import type { SqlReader } from '../../../../database/database.js';
import { TextList } from '../../../../common/text-list.js';
import { isEnded } from '../../../../common/contract/run-status.js';
import type { KindredRun } from '../../bindings/run-kinship.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META, type MessageList } from '../../entities/message.entity.js';
import type { Run } from '../../entities/run.entity.js';
import { leasesAbove } from '../../leases/leases-above.js';
import type { RunLease } from '../../leases/run-lease.entity.js';
import type { Range } from '../../message-log/ranges.js';
import type { SameReports } from '../rules/event-digests.js';
import type { ListMemoryLimit } from './list-memory-limit.js';
import type { CallerRow, JournalRepository, ReportOutline } from './journal.repository.js';
import { RunAncestry } from './run-ancestry.js';
import {
  elementsAt,
  loadRanges,
  loadRunState,
  loadList,
  loadListsOfAgent,
  loadListsOfRun,
  nameOf,
} from './stored-lists.js';
import type { ThreadDraft } from './thread-draft.js';
import { NO_LISTS, pendingCalls, type RunList, type RunLists, type RunState } from '../rules/thread-state.js';

/** Returned at once if in memory; awaiting it works either way. */
export type Readable<T> = T | Promise<T>;

/** With more digests than this, all messages are read instead. */
const MAX_WANTED = 200;

const NONE: ReadonlySet<string> = new Set();
const NO_ROWS: readonly Checkpoint[] = [];

/**
 * Reads one thread for a transaction. Of each row, the version that the transaction changed comes first, then the one that this process
 * committed, then the stored one. Loaded rows stay in the draft and never replace the other two.
 */
export class ThreadReader {
  readonly ancestry: RunAncestry;
  /** Traces whose runs are all in memory. */
  private traces: Set<string> | null = null;
  /** Stored reports by run and step, as they were before the transaction. */
  private outlines: Map<string, readonly ReportOutline[]> | null = null;
  /** Searches whose runs are all in the draft. */
  private taken: Set<string> | null = null;

  constructor(
    readonly draft: ThreadDraft,
    readonly sql: SqlReader,
    readonly repository: JournalRepository,
    readonly listMemory: ListMemoryLimit,
    /** Digests that the thread has seen: at least all those among the transaction's events. */
    private readonly seen: ReadonlySet<string> = NONE,
  ) {
    this.ancestry = new RunAncestry(draft, sql, repository);
  }

  /** Loads the runs that a batch names, and their leases, in one go. */
  async expect(traceIds: ReadonlySet<string>): Promise<void> {
    const { draft } = this;
    if (draft.isNew) return;
    const unknown = [...traceIds].filter((traceId) => draft.peekAt(traceId).length === 0);
    if (unknown.length > 0) await this.loadRuns(unknown);
    if (draft.row.last_fence === 0) return;
    const unleased = [...traceIds].filter((traceId) => !draft.leases.ofTrace(traceId));
    if (unleased.length > 0) await this.loadLeases(unleased);
  }

  isSeen(digest: string | undefined): boolean {
    return digest !== undefined && (this.draft.hasSeen(digest) || this.seen.has(digest));
  }

  /** Oldest first. */
  runsOf(traceId: string): Readable<RunState[]> {
    const { draft } = this;
    const known = draft.knownRuns(traceId);
    if (known.length > 0 || draft.isNew || this.traces?.has(traceId)) return known;
    return this.loadRuns([traceId]).then(() => draft.knownRuns(traceId));
  }

  runByNumber(runNo: number): Readable<RunState | null> {
    const { draft } = this;
    const known = draft.knownRunByNumber(runNo);
    return known || runNo === 0 || draft.isNew ? known : this.loadRun(runNo);
  }

  /**
   * The leases of the runs with a trace, by number; empty if the thread never had one.
   * @param isFresh includes other servers' renewals; fences are always current
   */
  leasesOf(traceId: string, isFresh = false): Readable<readonly RunLease[]> {
    const { leases, row } = this.draft;
    if (row.last_fence === 0) return [];
    const known = isFresh && !leases.isFresh(traceId) ? undefined : leases.ofTrace(traceId);
    return known ?? this.loadLeases([traceId]).then(() => leases.ofTrace(traceId)!);
  }

  /** The leases above a run, the nearest first: those of its known callers. */
  leasesAbove(run: KindredRun): Promise<readonly RunLease[]> {
    return leasesAbove(
      run,
      (traceId) => this.ancestry.rowsOf(traceId),
      async (traceId) => this.leasesOf(traceId),
    );
  }

  /** The known callers of a run, the nearest first. A circle ends the chain. */
  async callersOf({ row }: RunState): Promise<readonly CallerRow[]> {
    return (await this.ancestry.callersOf([row])).get(row.run_no)!;
  }

  async waitingRunsOf(agentId: string): Promise<RunState[]> {
    const { repository, sql, draft } = this;
    await this.take(`waiting ${agentId}`, () => repository.waitingRunsOfAgent(sql, draft.pk, agentId));
    return [...draft.runs.values()].filter((run) => run.row.agent_id === agentId && pendingCalls(run) !== null);
  }

  async openRunsOf(agentId: string): Promise<RunState[]> {
    const { repository, sql, draft } = this;
    await this.take(`open ${agentId}`, () => repository.openRunsOfAgent(sql, draft.pk, agentId));
    return [...draft.runs.values()].filter(({ row }) => row.agent_id === agentId && !isEnded(row.status));
  }

  /** Oldest first. */
  async openRunsBelow(runs: readonly RunState[]): Promise<readonly RunState[]> {
    const below: RunState[] = [];
    // Find them by their rows first, to avoid loading texts of other runs.
    for (const runNo of await this.ancestry.openBelow(new Set(runs.map(({ row }) => row.run_no)))) {
      const run = await this.runByNumber(runNo);
      if (run) below.push(run);
    }
    return below;
  }

  /**
   * The reports of a step that matter to another report, from all attempts: the one it replaces, those that somebody decided on, and the
   * one that says the same. There may be any number of others.
   * @param same null for an event with an id
   */
  reportsOf(run: RunState, step: number, same: SameReports | null): Readable<readonly Checkpoint[]> {
    return step > run.highestStepEver ? NO_ROWS : this.findReports(run.row, step, same);
  }

  /** The checkpoints that were replayed since the run's restart. */
  replayedOf({ mark }: RunState): Readable<readonly Checkpoint[]> {
    return mark === null || mark.replayed.length === 0 ? NO_ROWS : this.checkpoints(mark.replayed);
  }

  /**
   * The last non-empty lists of an agent's runs, with their places, for its next run to continue.
   * @param isOwnOnly leaves out what the agent said in other agents' runs
   */
  listsOfAgent(agentId: string, isOwnOnly: boolean): Readable<RunLists> {
    const agent = this.draft.agents.get(agentId);
    return agent ? this.findListsOfAgent(agentId, isOwnOnly ? agent.own_run : agent.latest_run, isOwnOnly) : NO_LISTS;
  }

  listsOfRun(run: RunState): Readable<RunLists> {
    const { history, meta } = run;
    const isKnown = !history.isUnknown && !meta.isUnknown && !history.isEvicted && !meta.isEvicted;
    return isKnown ? run : this.loadListsOf(run);
  }

  async listsAmong(rows: readonly Checkpoint[]): Promise<RunLists> {
    const inOrder = [...rows].sort((a, b) => a.step_index - b.step_index);
    const last = (list: MessageList) =>
      loadList(this, inOrder.findLast((row) => row[nameOf(list)] !== '') ?? null, list);
    return { history: await last(HISTORY), meta: await last(HISTORY_META) };
  }

  /**
   * Digests of the stored messages after a place of the log.
   * @param wanted digests to look for; if they are many, the result has others, too
   */
  messagesBehind(place: number, wanted: ReadonlySet<string>): Readable<readonly { digest: string; seq: number }[]> {
    const { draft, repository, sql } = this;
    if (draft.isNew) return [];
    return repository.messagesBehind(sql, draft.pk, place, wanted.size <= MAX_WANTED ? [...wanted] : null);
  }

  /** The elements at these places of a log, including those the transaction adds. */
  async elementsAt(list: MessageList, ranges: readonly Range[]): Promise<TextList> {
    return TextList.join(await elementsAt(this, list, ranges));
  }

  private async findReports(run: Run, step: number, same: SameReports | null): Promise<readonly Checkpoint[]> {
    const { draft } = this;
    const all = draft.isNew ? [] : await this.outlinesOf(run, step);
    const said = same?.firstAmong(all)?.seq;
    const counts = ({ seq, attempt, is_current, is_decided }: ReportOutline) =>
      seq === said || is_decided || (is_current && attempt === run.attempt) || draft.changedCheckpoints.has(seq);
    const isOfStep = (row: Checkpoint) => row.run_no === run.run_no && row.step_index === step && !row.is_initial;
    return this.checkpoints(
      all.filter(counts).map(({ seq }) => seq),
      isOfStep,
    );
  }

  /** Read once: new reports are in the draft. */
  private async outlinesOf(run: Run, step: number): Promise<readonly ReportOutline[]> {
    const key = `${run.run_no} ${step}`;
    const known = this.outlines?.get(key);
    if (known) return known;
    const found = await this.repository.reportsOfStep(this.sql, run, step);
    (this.outlines ??= new Map()).set(key, found);
    return found;
  }

  private async checkpoints(
    seqs: readonly number[],
    isAdded: (row: Checkpoint) => boolean = ({ seq }) => seqs.includes(seq),
  ): Promise<readonly Checkpoint[]> {
    const { draft, repository, sql } = this;
    const stored = seqs.length === 0 || draft.isNew ? [] : await repository.checkpointsBySeq(sql, draft.pk, seqs);
    return draft.overlay(stored, isAdded);
  }

  private async findListsOfAgent(agentId: string, runNo: number, isOwnOnly: boolean): Promise<RunLists> {
    const run = await this.runByNumber(runNo);
    const own = run ? await this.listsOfRun(run) : NO_LISTS;
    if (own.history.count > 0) return own;
    const { history, meta } = await loadListsOfAgent(this, agentId, isOwnOnly);
    return { history: await this.withPlaces(HISTORY, history), meta: await this.withPlaces(HISTORY_META, meta) };
  }

  /** The run keeps what was loaded. */
  private async loadListsOf(run: RunState): Promise<RunLists> {
    if (run.history.isUnknown || run.meta.isUnknown) Object.assign(run, await loadListsOfRun(this, run.row));
    const { history, meta } = run;
    return { history: await this.withPlaces(HISTORY, history), meta: await this.withPlaces(HISTORY_META, meta) };
  }

  private async withPlaces(list: MessageList, runList: RunList): Promise<RunList> {
    const { isEvicted, row: seq, count } = runList;
    if (!isEvicted || seq === null) return runList;
    const [row] = await this.checkpoints([seq]);
    return { list: null, count, row: seq, ranges: await loadRanges(this, nameOf(list), row!) };
  }

  /** Brings stored runs into the draft, which knows of their changes from then on. */
  private async take(question: string, find: () => Promise<Pick<Run, 'run_no' | 'trace_id'>[]>): Promise<void> {
    const { draft } = this;
    if (draft.isNew || this.taken?.has(question)) return;
    const rows = await find();
    const unknown = rows.filter(({ run_no }) => !draft.peek(run_no));
    await this.loadRuns([...new Set(unknown.map(({ trace_id }) => trace_id))]);
    for (const { run_no } of rows) draft.knownRunByNumber(run_no);
    this.taken = (this.taken ?? new Set()).add(question);
  }

  private async loadLeases(traceIds: readonly string[]): Promise<void> {
    const { draft } = this;
    const rows = draft.isNew ? [] : await this.repository.leases.ofTraces(this.sql, draft.pk, traceIds);
    for (const traceId of traceIds) {
      const own = rows.filter(({ trace_id }) => trace_id === traceId);
      draft.leases.learn(traceId, own);
    }
  }

  private async loadRun(runNo: number): Promise<RunState | null> {
    const row = await this.repository.runByNumber(this.sql, this.draft.pk, runNo);
    if (row) await this.loadRuns([row.trace_id]);
    return this.draft.knownRunByNumber(runNo);
  }

  /** Loads all runs of a trace or none: if one is in memory, nobody looks for the others. */
  private async loadRuns(traceIds: readonly string[]): Promise<void> {
    const unknown = traceIds.filter((traceId) => this.traces?.has(traceId) !== true);
    if (unknown.length === 0) return;
    const rows = await this.repository.runsByTraces(this.sql, this.draft.pk, unknown);
    for (const row of rows) this.draft.learn(this.listMemory.noteLoaded(await loadRunState(this, row)));
    this.traces ??= new Set();
    for (const traceId of unknown) this.traces.add(traceId);
  }
}
