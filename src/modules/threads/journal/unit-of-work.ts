import { after, type Awaitable } from '../../../common/awaitable.js';
import type { Clock } from '../../../common/clock.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { ScriptPart, SqlReader } from '../../../database/database.js';
import { RunKinship } from '../bindings/run-kinship.js';
import { isThreadsOwn } from '../bindings/standing.js';
import type { ThreadAgent } from '../entities/thread-agent.entity.js';
import type { Run } from '../entities/run.entity.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Thread } from '../entities/thread.entity.js';
import type { JournalRepository } from './journal.repository.js';
import { chainLinkOf, shownRun, type HeadLink, type RunHead } from './shown-run.js';
import type { ThreadCache } from './thread-cache.js';
import { ThreadDraft } from './thread-draft.js';
import type { ThreadState } from './thread-state.js';

/** The threads of one transaction: locked, and copied where they are changed. */
export class UnitOfWork {
  private readonly drafts = new Map<string, ThreadDraft>();
  private readonly locked = new Map<string, Thread>();
  private readonly removed = new Set<string>();
  /** Numbers for the threads that were not found. */
  private freshPks: number[] = [];
  /** What jobs write by themselves, to run before the drafts are written. */
  readonly statements: ScriptPart[] = [];

  private constructor(
    readonly reader: SqlReader,
    private readonly repository: JournalRepository,
    private readonly cache: ThreadCache,
    readonly nowMs: number,
  ) {}

  /**
   * Locks the threads of this transaction. Its time is read behind that: whoever asks for what is new since then must not have moved on
   * while it waited for the locks of others.
   * @param mayTrust whether the cache is the truth, because nobody else writes
   */
  static async open(
    [reader, repository, cache]: readonly [SqlReader, JournalRepository, ThreadCache],
    threadIds: ReadonlySet<string>,
    clock: Clock,
    mayTrust: boolean,
  ): Promise<UnitOfWork> {
    const trusted: Thread[] = [];
    const unknown: string[] = [];
    for (const id of threadIds) {
      const known = mayTrust ? cache.get(id) : null;
      if (known) trusted.push(known.row);
      else unknown.push(id);
    }
    const rows = unknown.length === 0 ? [] : await repository.lockThreads(reader, unknown.sort());
    const set = new UnitOfWork(reader, repository, cache, clock.nowMs());
    for (const row of [...trusted, ...rows]) set.locked.set(row.id, row);
    const missing = unknown.length - rows.length;
    // Taken from the end, so that threads are numbered in the order in which they were first named.
    if (missing > 0) set.freshPks = (await repository.nextThreadPks(reader, missing)).reverse();
    return set;
  }

  /** The thread's draft, or null when there is no such thread. */
  find(threadId: string): Awaitable<ThreadDraft | null> {
    const drafted = this.drafts.get(threadId);
    if (drafted) return drafted;
    const row = this.locked.get(threadId);
    if (!row) return null;
    const known = this.cache.get(threadId);
    const isCurrent = known && known.row.pk === row.pk && known.row.last_seq === row.last_seq;
    return after(isCurrent ? known : this.load(row), (state) => this.add(new ThreadDraft(state, false, this.nowMs)));
  }

  /** The thread's draft; a new thread where there is none. */
  findOrCreate(threadId: string): Awaitable<ThreadDraft> {
    return after(this.find(threadId), (found) => found ?? this.create(threadId));
  }

  /** Adds statements to the transaction. Only for jobs that say so (`isWriting`). */
  write(...statements: readonly ScriptPart[]): void {
    this.statements.push(...statements);
  }

  /** Takes a thread out of the transaction, with what was drafted for it. Its rows are the caller's to delete. */
  remove(threadId: string): void {
    this.drafts.delete(threadId);
    this.locked.delete(threadId);
    this.removed.add(threadId);
  }

  /** The drafts to be written, each brought up to date. */
  async finish(): Promise<ThreadDraft[]> {
    const drafts = [...this.drafts.values()];
    for (const draft of drafts) {
      const shown = draft.isChanged ? this.shownOf(draft) : null;
      draft.finish(shown instanceof Promise ? await shown : shown);
    }
    return drafts;
  }

  /** Whether it brings facts about, or takes a thread out of sight. */
  get hasNews(): boolean {
    if (this.removed.size > 0) return true;
    for (const { facts } of this.drafts.values()) if (facts.length > 0) return true;
    return false;
  }

  /** To be called after the commit. */
  publish(): void {
    for (const id of this.removed) this.cache.drop(id);
    for (const draft of this.drafts.values()) {
      const state = draft.committed();
      if (isWorthKeeping(state)) this.cache.put(state);
      else this.cache.drop(state.row.id);
    }
  }

  /** The checkpoint that the thread shows. Runs that are not in memory are read without their texts. */
  private shownOf(draft: ThreadDraft): Awaitable<Checkpoint | null> {
    const { current_run: current, run_count: known } = draft.row;
    if (known === 0) return null;
    const kinship = new RunKinship((traceId: string) => this.rowsOf(draft, traceId));
    // Nobody is shown in the place of others because they named a trace that was taken.
    const ownParentOf = async (run: Run) => {
      const parent = await kinship.parentOf(run);
      return parent && isThreadsOwn(parent.began_by, draft.agents.values()) ? parent : null;
    };
    const linkOf = (runNo: number) =>
      after(this.headOf(draft, runNo), (head) => (head ? chainLinkOf(head, ownParentOf) : null));
    return after(linkOf(current), (link) => {
      const shown = link && shownRun<number, HeadLink>(link, linkOf);
      return after(shown, (found) => found?.head.latest ?? null);
    });
  }

  private headOf(draft: ThreadDraft, runNo: number): Awaitable<RunHead | null> {
    return draft.peek(runNo) ?? (draft.isNew ? null : this.repository.headOfRun(this.reader, draft.pk, runNo));
  }

  private rowsOf(draft: ThreadDraft, traceId: string): Awaitable<Run[]> {
    const known = draft.peekAt(traceId).map(({ row }) => row);
    return known.length > 0 || draft.isNew ? known : this.repository.runsByTrace(this.reader, draft.pk, traceId);
  }

  private create(threadId: string): Awaitable<ThreadDraft> {
    const pks = this.freshPks.length > 0 ? this.freshPks : this.repository.nextThreadPks(this.reader, 1);
    return after(pks, (numbers) =>
      this.add(new ThreadDraft(blankState(threadId, numbers.pop()!, this.nowMs), true, this.nowMs)),
    );
  }

  private add(draft: ThreadDraft): ThreadDraft {
    this.drafts.set(draft.row.id, draft);
    return draft;
  }

  private async load(row: Thread): Promise<ThreadState> {
    const agents = await this.repository.agentsOf(this.reader, row.pk);
    const byId = new Map(agents.map((agent) => [agent.agent_id, agent]));
    return { row, agents: inOrder(row, byId), runs: new Map() };
  }
}

/** A thread that has ended without a history is quickly read again, should anybody ask for it. */
function isWorthKeeping({ row }: ThreadState): boolean {
  return row.open_runs > 0 || row.next_message > 0;
}

/** The agents in the order of their first appearance, which the thread's row holds. */
function inOrder(row: Thread, agents: Map<string, ThreadAgent>): Map<string, ThreadAgent> {
  const ids = JSON.parse(row.agents) as string[];
  return new Map(ids.filter((id) => agents.has(id)).map((id) => [id, agents.get(id)!]));
}

function blankState(id: string, pk: number, nowMs: number): ThreadState {
  const row: Thread = {
    pk,
    id,
    last_seq: 0,
    next_message: 0,
    next_meta: 0,
    run_count: 0,
    current_run: 0,
    latest_seq: 0,
    status: RUN_STATUS.inProgress,
    model: '',
    agents: '[]',
    open_runs: 0,
    pending_approvals: 0,
    total_tokens: 0,
    total_cost_usd: 0,
    started_at: nowMs,
    updated_at: nowMs,
  };
  return { row, agents: new Map(), runs: new Map() };
}
