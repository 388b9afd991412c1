import { Injectable } from '@nestjs/common';
import { CHECKPOINT_FIELD_NAMES } from '../../../../common/contract/checkpoint-fields.js';
import { ChangeFeed } from '../../../../database/change-feed.js';
import { Database, type ScriptPart } from '../../../../database/database.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { changeOfEvents, changeOfThreads } from './change-number.js';
import { scriptOf } from './message-script.js';
import { RowScript } from './row-script.js';
import { RunSums } from './run-sums.js';
import type { ThreadDraft } from './thread-draft.js';
import type { UnitOfWork } from './unit-of-work.js';
import { JournalParticipants } from './journal-participants.service.js';

const THREAD = [
  ...['pk', 'id', 'started_at', 'last_seq', 'next_message', 'next_meta', 'run_count', 'current_run', 'latest_seq'],
  ...['status', 'model', 'agents', 'open_runs', 'pending_approvals', 'total_tokens', 'total_cost_usd', 'updated_at'],
  'last_message',
] as const;
const THREAD_AGENT = [
  ...['thread_pk', 'agent_id', 'latest_run', 'own_run', 'progress_seq', 'standing', 'open_runs', 'updated_at'],
] as const;
const RUN = [
  ...['thread_pk', 'run_no', 'trace_id', 'is_sub_agent', 'agent_id', 'started_at', 'began_by'],
  ...[
    'parent_trace_id',
    'parent_by',
    'reported_by',
    'model',
    'status',
    'attempt',
    'attempt_started_at',
    'attempt_occurred_at',
  ],
  ...['ending_digest', 'ending', 'mark', 'retry', 'error', 'updated_at'],
] as const;
const LEASE_KEYS = ['thread_pk', 'trace_id', 'lease_no'] as const;
const RUN_LEASE = [
  ...[...LEASE_KEYS, 'run_no', 'agent_id', 'began_by', 'holder', 'fence', 'ttl_ms'],
  ...['expires_at', 'released_at', 'lapsed_at', 'claimed_at'],
] as const;
const CHECKPOINT = [
  ...['thread_pk', 'seq', 'run_no', 'attempt', 'step_index', 'is_current', 'is_initial', 'digest', 'event_id'],
  ...[
    'list_digests',
    'status',
    'agent_id',
    ...CHECKPOINT_FIELD_NAMES,
    'history',
    'history_length',
    'history_meta',
    'extra',
  ],
  ...['error', 'approval', 'rev', 'created_at', 'updated_at'],
] as const;
/** Most checkpoints have whole lists. */
const CONTINUED_CHECKPOINT = [
  ...CHECKPOINT,
  ...['history_from', 'history_from_length', 'history_meta_from', 'history_meta_from_length'],
] as const;
const CHECKPOINT_CHANGES = [
  ...['is_current', 'status', 'model', 'tokens_used', 'run_cost_usd', 'budget_usd', 'budget_warning'],
  ...['pending_tool_calls', 'extra', 'error', 'approval', 'rev', 'updated_at'],
] as const;
const THREAD_EVENT = ['thread_pk', 'seq', 'kind', 'type', 'run_no', 'step_index', 'data', 'created_at'] as const;
const SEEN_EVENT = ['thread_pk', 'digest'] as const;

/** Writes thread drafts: one script per group of jobs, one statement per table. */
@Injectable()
export class JournalWriter {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly database: Database,
    readonly participants: JournalParticipants,
  ) {}

  /** Call this after the commit: it wakes requests that wait for these threads. */
  tellListeners(threadPks: readonly number[]): void {
    this.feed.publish(threadPks);
  }

  /**
   * The statements that store the drafts; null if there are none.
   * @param statements of jobs (run before the drafts') and of participants (run after them)
   */
  scriptFor(
    drafts: readonly ThreadDraft[],
    { statements, told }: Pick<UnitOfWork, 'statements' | 'told'>,
  ): Iterable<ScriptPart> | null {
    const messages = drafts.map(({ newMessages }) => newMessages.all);
    const script = new RowScript(this.database.dialect).add(...statements);
    const all = this.rowsFor(drafts, script).add(...told, ...this.participants.statementsForCommit(drafts));
    return scriptOf(all, messages);
  }

  /** All rows except the messages, which may be large. */
  private rowsFor(drafts: readonly ThreadDraft[], script: RowScript): RowScript {
    const changed = drafts.filter(({ isChanged }) => isChanged);
    const touched = drafts.filter(({ isTouched }) => isTouched);
    const { dialect } = this.database;
    const threads = touched.map(({ row }) => row);
    const nowMs = Math.max(...touched.map((draft) => draft.nowMs));
    script
      .upsert('thread', ['pk'], THREAD, ['pk', 'id', 'started_at'], threads, changeOfThreads(dialect, nowMs))
      .upsert('thread_agent', ['thread_pk', 'agent_id'], THREAD_AGENT, ['thread_pk', 'agent_id'], agentsOf(changed))
      .upsert('run', ['thread_pk', 'run_no'], RUN, RUN.slice(0, 7), runsOf(drafts));
    // Columns that reports never change.
    for (const { pk, row, isNew, isStarted, isResumed, leases } of touched) {
      if (isStarted && !isNew) script.add(`UPDATE thread SET started_at=${row.started_at} WHERE pk=${pk};`);
      if (isResumed) script.add(`UPDATE thread SET paused_ms=${row.paused_ms} WHERE pk=${pk};`);
      if (leases.changed.size > 0) script.add(`UPDATE thread SET last_fence=${row.last_fence} WHERE pk=${pk};`);
    }
    script.upsert(
      'run_lease',
      LEASE_KEYS,
      RUN_LEASE,
      LEASE_KEYS,
      rowsOf(drafts, ({ leases }) => leases.changed),
    );
    const checkpoints = rowsOf(drafts, (draft) => draft.newCheckpoints);
    script.insert(
      'checkpoint',
      CHECKPOINT,
      checkpoints.filter((row) => !isContinued(row)),
    );
    script.insert('checkpoint', CONTINUED_CHECKPOINT, checkpoints.filter(isContinued));
    for (const row of rowsOf(drafts, (draft) => draft.changedCheckpoints.values())) updateCheckpoint(script, row);
    const events = rowsOf(drafts, (draft) => draft.newEvents);
    const seen = rowsOf(drafts, (draft) => draft.newSeen);
    const sums = changed.map((draft) => draft.sums);
    return (
      script
        .add(RunSums.statement(dialect, sums) ?? '')
        .insert(
          'thread_event',
          THREAD_EVENT,
          events.filter((event) => !isToldOfAll(event)),
        )
        // The only events that the stream of all threads reads.
        .insert('thread_event', THREAD_EVENT, events.filter(isToldOfAll), changeOfEvents(dialect))
        .insert('seen_event', SEEN_EVENT, seen)
    );
  }
}

function rowsOf<T extends object>(drafts: readonly ThreadDraft[], pick: (draft: ThreadDraft) => Iterable<T>): T[] {
  const rows: T[] = [];
  for (const draft of drafts) for (const row of pick(draft)) rows.push(row);
  return rows;
}

function isToldOfAll({ kind }: { kind: string }): boolean {
  return kind === 'approval' || kind === 'effect';
}

/** Whether one of its lists continues another row. */
function isContinued({ history_from, history_meta_from }: Checkpoint): boolean {
  return history_from !== null || history_meta_from !== null;
}

function agentsOf(drafts: readonly ThreadDraft[]): object[] {
  return rowsOf(drafts, (draft) => draft.agents.values());
}

function runsOf(drafts: readonly ThreadDraft[]): object[] {
  return rowsOf(drafts, (draft) => draft.changedRuns).map(({ row }) => row);
}

function updateCheckpoint(script: RowScript, row: Checkpoint): void {
  const where = `thread_pk=${row.thread_pk} AND seq=${row.seq}`;
  // SQLite returns booleans as numbers, which PostgreSQL rejects.
  script.update('checkpoint', { ...row, is_current: Boolean(row.is_current) }, CHECKPOINT_CHANGES, where);
}
