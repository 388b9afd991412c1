import type { ReportedFields } from '../../common/contract/checkpoint-fields.js';
import type { EventKind } from '../../common/contract/event-types.js';
import { DomainError } from '../../common/domain-error.js';
import type { LongText } from '../../common/long-text.js';
import type { TextList } from '../../common/text-list.js';
import type { BoundStatement, SqlRow } from '../../database/database.js';
import type { Checkpoint } from './entities/checkpoint.entity.js';
import type { Run } from './entities/run.entity.js';
import type { Thread } from './entities/thread.entity.js';

/** The two lists of a checkpoint. */
export interface ReportedLists {
  history: TextList;
  historyMeta: TextList;
}

/** The lists of a checkpoint; where a digest is given, only what follows the list that the checkpoint's run had before. */
export interface ListsOfReport extends ReportedLists {
  /** The digest of the list before; absent if the list is whole. */
  historyBefore?: string;
  metaBefore?: string;
}

/** A valid event of a batch, its opaque parts as exact text. */
export interface ReportedEvent extends ReportedLists {
  type: string;
  kind: EventKind;
  id: string | null;
  sequenceNum: number | null;
  occurredAtMs: number | null;
  threadId: string;
  traceId: string | null;
  /** Of the lease under which the reporter drives the run; null if it names none. Never stored. */
  fence: number | null;
  fields: ReportedFields;
  /** What its two lists continue from; null if they are whole. Only a checkpoint with an id has one. */
  base: HistoryBase | null;
  /** Exact JSON of a non-empty array, otherwise null. */
  pendingToolCalls: string | null;
  /** Exact JSON, otherwise null. */
  error: string | null;
  /** Members that the contract does not know. */
  extra: readonly ExtraMember[];
  /** Exact text of the event's data without the elements of its two lists and without its base. */
  dataText: LongText;
}

/** The beginning of an earlier checkpoint's lists. */
export interface HistoryBase {
  /** The id of the event that reported it. Null, with no length, for a latest checkpoint that has none, or that is not there yet. */
  id: string | null;
  /** How many of its first messages, and of the entries of its metadata as far as there are so many. */
  length: number;
  /** Whether it must be the latest checkpoint of the run. */
  isLatest: boolean;
}

/** The latest checkpoint of a run, for reporters whose base was refused. */
export interface LatestReport {
  /** The id of the event that reported it; null for one that had none. */
  id: string | null;
  step_index: number;
  /** Number of messages in its history. */
  length: number;
}

/** One member of an object, name and value as exact JSON. */
export interface ExtraMember {
  name: string;
  value: string | LongText;
}

/** Selects the latest checkpoint of one run, one agent or both; null for no filter. */
export interface LatestFilter {
  traceId: string | null;
  agentId: string | null;
}

/** Why nobody can act on tool calls any more. */
export type SupersededReason = 'later_step' | 'replaced' | 'new_attempt' | 'run_ended' | 'run_cancelled' | 'new_run';

interface CallsFact {
  /** As it was then. */
  run: Run;
  checkpoint: Checkpoint;
  /** Tells these calls from others of the same checkpoint. */
  callsDigest: string;
}

/** A checkpoint with tool calls for a person to decide was stored. */
export interface CallsOpened extends CallsFact {
  fact: 'calls_opened';
  /** Why they came too late to be decided; null for those that wait. */
  supersededBy: SupersededReason | null;
}

/** Nobody can act on the tool calls of a checkpoint any more, and nobody has. */
export interface CallsSuperseded extends CallsFact {
  fact: 'calls_superseded';
  reason: SupersededReason;
}

/** The status of a run has changed, or was reported again. */
export interface StatusChanged {
  fact: 'status_changed';
}

interface RunFact {
  /** As it was then. */
  run: Run;
  /** The latest of the run; null where nothing was reported yet. */
  checkpoint: Checkpoint | null;
}

/** A run has ended for the first time, or again after it was started again. A restored end is none, nor is a cancellation. */
export interface RunEnded extends RunFact {
  fact: 'run_ended';
  /** The thread's number of the change that ended it: it tells the endings of a run apart. */
  seq: number;
}

/** A run has warned of its budget. */
export interface BudgetWarned extends RunFact {
  fact: 'budget_warned';
}

export type CallsChanged = CallsOpened | CallsSuperseded;

export type ThreadFact = CallsChanged | StatusChanged | RunEnded | BudgetWarned;

/** The facts that one job creates in one thread. */
export interface ThreadFacts {
  /** As the job leaves it. */
  thread: Readonly<Thread>;
  facts: readonly ThreadFact[];
  nowMs: number;
  /** Adds a change to the thread's event log and live stream. */
  tell: (type: string, data: string, runNo: number, stepIndex: number) => void;
}

/** A table with a column `thread_pk` that may have many rows of one thread. */
export interface LargeTable {
  table: string;
  /** The columns that tell the rows of one thread apart, with commas between them. */
  keys: string;
  /** SQL: about how many bytes a row has, where it may have many. */
  bytes?: string;
}

/**
 * Another module's part in the journal's transactions: it stores rows in the commit that changes a thread, so that none gets lost.
 * Register it with `JournalParticipants.add`.
 */
export interface JournalParticipant {
  /** Its tables with a column `thread_pk`, emptied with the thread. */
  readonly tables: readonly string[];

  /** Those that may have many rows of one thread: they are emptied piece by piece, soon after the thread is gone. Readers look into them only for threads that are there. */
  readonly largeTables?: readonly LargeTable[];

  /** Statements for the transaction, asked for as soon as a job is done: what it tells is numbered before the changes of later jobs. */
  statementsForJob?(changes: ThreadFacts): Promise<readonly BoundStatement[]>;

  /** Statements for the transaction that creates facts of these threads, once for all of its jobs. */
  statementsForCommit?(threads: readonly Readonly<Thread>[], nowMs: number): readonly BoundStatement[];

  /** Statements for the transaction that hides a deleted thread. */
  statementsForDeletion?(threadId: string, nowMs: number): readonly BoundStatement[];

  /** SQL: whether a thread `t` waits for a person, and so must not be deleted for its age. Absent if none does. */
  readonly isWaiting?: string;

  /** The fault of an imported row of its tables; null if it has none. */
  importFault?(row: SqlRow, table: string): string | null;

  /** Called after a commit that created facts or hid a thread. */
  committed?(): void;
}

/** Also for a thread that was deleted while it was being read. */
export function threadNotFound(): DomainError {
  return new DomainError('not_found', 'thread_not_found', 'There is no such thread.');
}

/** Also for a run that was asked for just now: the server hears of it when its agent has accepted it. */
export function runNotFound(): DomainError {
  return notBegun('run_not_found', 'The thread has no such run');
}

export function notBegun(code: string, what: string): DomainError {
  return new DomainError('not_found', code, `${what}. A run is known once its agent has reported it.`);
}
