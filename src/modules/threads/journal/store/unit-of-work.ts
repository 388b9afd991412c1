import type { Clock } from '../../../../common/clock.js';
import { RUN_STATUS } from '../../../../common/contract/run-status.js';
import type { BoundStatement, ScriptPart, SqlReader } from '../../../../database/database.js';
import type { SeenEvent } from '../../entities/seen-event.entity.js';
import type { ThreadAgent } from '../../entities/thread-agent.entity.js';
import type { Thread } from '../../entities/thread.entity.js';
import { NO_LEASES } from '../../leases/thread-leases.js';
import type { OpenedCalls } from './calls-decider.contract.js';
import type { SeenDigests } from '../rules/event-digests.js';
import { ListMemoryLimit } from './list-memory-limit.js';
import type { JournalParticipants } from './journal-participants.service.js';
import type { JournalRepository } from './journal.repository.js';
import { rememberedSeen } from './remembered-state.js';
import { ShownCheckpoints } from './shown-checkpoint.js';
import type { ThreadCache } from './thread-cache.js';
import { ThreadDraft } from './thread-draft.js';
import { ThreadReader } from './thread-reader.js';
import { pendingCalls, type ThreadState } from '../rules/thread-state.js';

const MAX_KEYS = 1_000;
const NO_AGENTS: ThreadState['agents'] = new Map();
const NO_RUNS: ThreadState['runs'] = new Map();

interface WorkContext {
  reader: SqlReader;
  repository: JournalRepository;
  cache: ThreadCache;
  participants: JournalParticipants;
  /** Milliseconds that the transaction waits for others' locks; null for the database's own limit. */
  lockTimeoutMs: number | null;
}

/** The threads of one transaction: locked, and copied before they change. */
export class UnitOfWork {
  readonly reader: SqlReader;
  private readonly drafts = new Map<string, ThreadDraft>();
  private readonly readers = new Map<ThreadDraft, ThreadReader>();
  private readonly listMemory = new ListMemoryLimit();
  private readonly shown: ShownCheckpoints;
  private readonly removed = new Set<string>();
  /** Digests of events that threads have seen, by thread number. */
  private readonly seen = new Map<number, Set<string>>();
  /** The jobs' own statements, which run before the drafts'. */
  readonly statements: ScriptPart[] = [];
  /** Statements of participants, which run after the drafts'. */
  readonly told: BoundStatement[] = [];

  private readonly settledListeners: (() => void)[] = [];

  /** Numbers for new threads, taken from the end. */
  private freshPks: number[] = [];

  private constructor(
    private readonly context: WorkContext,
    private readonly states: Map<string, ThreadState>,
    readonly nowMs: number,
    private readonly mayTrust: boolean,
  ) {
    this.reader = context.reader;
    this.shown = new ShownCheckpoints(this.reader, context.repository, (draft) => this.readerOf(draft).ancestry);
  }

  /**
   * Locks the transaction's threads and loads those that are not in memory. Reads the clock afterwards: its changes must not look older
   * than those of transactions whose locks it waited for.
   * @param mayTrust true if no other process writes, so that the cache can be trusted
   */
  static async open(
    context: WorkContext,
    threadIds: ReadonlySet<string>,
    clock: Clock,
    mayTrust: boolean,
  ): Promise<UnitOfWork> {
    const { reader, repository, cache } = context;
    const states = new Map<string, ThreadState>();
    const unknown: string[] = [];
    for (const id of threadIds) {
      const known = mayTrust ? cache.get(id) : null;
      if (known) states.set(id, known);
      else unknown.push(id);
    }
    const rows = unknown.length === 0 ? [] : await repository.lockThreads(reader, unknown.sort());
    const forgotten: Thread[] = [];
    for (const row of rows) {
      const known = cache.get(row.id);
      if (known && known.row.pk === row.pk && known.row.last_seq === row.last_seq) states.set(row.id, known);
      else forgotten.push(row);
    }
    const pks = forgotten.map(({ pk }) => pk);
    const agents = pks.length === 0 ? [] : await repository.agentsOf(reader, pks);
    for (const row of forgotten) states.set(row.id, stateOf(row, agents));
    const missing = unknown.length - rows.length;
    const freshPks = missing === 0 ? [] : await repository.nextThreadPks(reader, missing);
    const work = new UnitOfWork(context, states, clock.nowMs(), mayTrust);
    // Number threads in the order in which they are first named.
    work.freshPks = freshPks.reverse();
    return work;
  }

  /**
   * Looks up which of these events their threads have seen, if memory does not know: in bulk, because one query per event would cost more
   * than everything else.
   */
  async lookUpSeen(digests: Iterable<SeenDigests | undefined>): Promise<void> {
    const keys: SeenEvent[] = [];
    for (const ofJob of digests) {
      ofJob?.forEach((digest, { threadId }) => {
        const state = this.states.get(threadId);
        if (state && !state.seen) keys.push({ thread_pk: state.row.pk, digest });
      });
    }
    for (let from = 0; from < keys.length; from += MAX_KEYS) {
      for (const row of await this.context.repository.seenAmong(this.reader, keys.slice(from, from + MAX_KEYS))) {
        const known = this.seen.get(row.thread_pk);
        if (known) known.add(row.digest);
        else this.seen.set(row.thread_pk, new Set([row.digest]));
      }
    }
  }

  /** The thread's draft; null if there is no such thread, even if a refused job would have created it. */
  find(threadId: string): ThreadDraft | null {
    const draft = this.draftOf(threadId);
    return draft && draft.isNew && !draft.isTouched ? null : draft;
  }

  findOrCreate(threadId: string): ThreadDraft {
    const found = this.draftOf(threadId);
    if (found) return found;
    const pk = this.freshPks.pop();
    if (pk === undefined) throw new Error('A job began a thread that its transaction has not locked, or has deleted.');
    return this.add(new ThreadDraft(blankState(threadId, pk, this.nowMs), true, this.nowMs));
  }

  readerOf(draft: ThreadDraft): ThreadReader {
    const known = this.readers.get(draft);
    if (known) return known;
    const seen = draft.isNew ? undefined : (this.seenBefore(draft) ?? this.seen.get(draft.pk));
    const reader = new ThreadReader(draft, this.reader, this.context.repository, this.listMemory, seen);
    this.readers.set(draft, reader);
    return reader;
  }

  get lockTimeoutMs(): number | null {
    return this.context.lockTimeoutMs;
  }

  get loadedBytes(): number {
    return this.listMemory.loadedBytes;
  }

  /** Adds statements to the transaction. Only for jobs with `isAlone`, and for the decider, whose job can no longer refuse. */
  write(...statements: readonly ScriptPart[]): void {
    this.statements.push(...statements);
  }

  /** Calls back once the transaction has committed or failed. */
  onSettled(listener: () => void): void {
    this.settledListeners.push(listener);
  }

  /** Call this at the end, whether the transaction has committed or failed. */
  settle(): void {
    for (const listener of this.settledListeners.splice(0)) listener();
  }

  remove(threadId: string): void {
    this.drafts.delete(threadId);
    this.states.delete(threadId);
    this.removed.add(threadId);
  }

  /**
   * Lets the decider act on new tool calls, updates what the threads show of their runs, and collects the participants' statements. Call
   * this after each job, before the next one.
   */
  async finishJob(threadIds: readonly string[]): Promise<void> {
    const opened = this.openedBy(threadIds);
    if (opened !== null) await this.context.participants.decideOpened(this, opened);
    for (const threadId of threadIds) {
      const draft = this.drafts.get(threadId);
      if (!draft?.isTouched) continue;
      if (draft.isChanged) {
        const found = this.shown.of(draft);
        const shown = found instanceof Promise ? await found : found;
        const lastMessage = this.shown.lastMessageOf(draft, shown);
        draft.show(shown, lastMessage instanceof Promise ? await lastMessage : lastMessage);
      }
      const told = this.context.participants.statementsForJob(draft);
      if (told !== null) this.told.push(...(await told));
      draft.finishJob();
    }
  }

  finish(): ThreadDraft[] {
    const drafts = [...this.drafts.values()];
    for (const draft of drafts) draft.finish();
    return drafts;
  }

  /** Whether the transaction has facts for participants, or deletes a thread. */
  get hasNews(): boolean {
    if (this.removed.size > 0) return true;
    for (const { facts } of this.drafts.values()) if (facts.all.length > 0) return true;
    return false;
  }

  publish(): void {
    const { cache } = this.context;
    for (const id of this.removed) cache.drop(id);
    for (const draft of this.drafts.values()) {
      if (isWorthKeeping(draft.row)) cache.put(this.stateAfter(draft));
      else cache.drop(draft.row.id);
    }
  }

  private stateAfter(draft: ThreadDraft): ThreadState {
    return draft.committed(rememberedSeen(this.seenBefore(draft), draft.newSeen));
  }

  /** All events the thread had seen before; null if unknown. Another process may add some without a change that memory would notice. */
  private seenBefore({ row, isNew }: ThreadDraft): Set<string> | null {
    if (!this.mayTrust) return null;
    return isNew ? new Set() : (this.states.get(row.id)?.seen ?? null);
  }

  /** The tool calls that the job has opened, and that nothing in it has superseded; null for none. */
  private openedBy(threadIds: readonly string[]): OpenedCalls[] | null {
    let opened: OpenedCalls[] | null = null;
    for (const threadId of threadIds) {
      const draft = this.drafts.get(threadId);
      if (!draft || draft.facts.all.length === 0) continue;
      for (const fact of draft.facts.openedByJob()) {
        const run = draft.peek(fact.run.run_no);
        if (run && pendingCalls(run)?.seq === fact.checkpoint.seq) (opened ??= []).push({ threadId, fact });
      }
    }
    return opened;
  }

  private draftOf(threadId: string): ThreadDraft | null {
    const drafted = this.drafts.get(threadId);
    if (drafted) return drafted;
    const state = this.states.get(threadId);
    return state ? this.add(new ThreadDraft(state, false, this.nowMs)) : null;
  }

  private add(draft: ThreadDraft): ThreadDraft {
    this.drafts.set(draft.row.id, draft);
    return draft;
  }
}

/** An ended thread without a history is quick to read again. */
function isWorthKeeping({ open_runs: openRuns, next_message: nextMessage }: Thread): boolean {
  return openRuns > 0 || nextMessage > 0;
}

/** @param agents may include those of other threads */
function stateOf(row: Thread, agents: readonly ThreadAgent[]): ThreadState {
  const byId = new Map<string, ThreadAgent>();
  for (const agent of agents) if (agent.thread_pk === row.pk) byId.set(agent.agent_id, agent);
  // The row lists them in order of appearance.
  const ids = (JSON.parse(row.agents) as string[]).filter((id) => byId.has(id));
  return { row, agents: new Map(ids.map((id) => [id, byId.get(id)!])), runs: NO_RUNS, leases: NO_LEASES, seen: null };
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
    last_message: null,
    open_runs: 0,
    pending_approvals: 0,
    total_tokens: 0,
    total_cost_usd: 0,
    started_at: nowMs,
    updated_at: nowMs,
    paused_ms: 0,
    last_fence: 0,
    change_no: 0,
  };
  return { row, agents: NO_AGENTS, runs: NO_RUNS, leases: NO_LEASES, seen: null };
}
