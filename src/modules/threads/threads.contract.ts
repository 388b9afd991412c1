import type { ReportedFields } from '../../common/contract/checkpoint-fields.js';
import type { EventKind } from '../../common/contract/event-types.js';
import { DomainError, type DomainErrorOptions } from '../../common/domain-error.js';
import type { LongText } from '../../common/long-text.js';
import type { TextList } from '../../common/text-list.js';
import type { BoundStatement, SqlRow } from '../../database/database.js';
import type { Checkpoint } from './entities/checkpoint.entity.js';
import type { Run } from './entities/run.entity.js';
import type { Thread } from './entities/thread.entity.js';

export interface ReportedLists {
  history: TextList;
  historyMeta: TextList;
}

/** The lists of a checkpoint. If a digest is given, the list is only what follows the run's previous list. */
export interface ListsOfReport extends ReportedLists {
  /** The digest of the previous list; absent if the list is whole. */
  historyBefore?: string;
  metaBefore?: string;
}

/** A valid event of a batch, with opaque parts as exact text. */
export interface ReportedEvent extends ReportedLists {
  type: string;
  kind: EventKind;
  id: string | null;
  sequenceNum: number | null;
  occurredAtMs: number | null;
  threadId: string;
  traceId: string | null;
  /** The fence of the reporter's lease; null if it names none. Never stored. */
  fence: number | null;
  fields: ReportedFields;
  /** What its lists continue; null if they are whole. Only a checkpoint with an id has one. */
  base: HistoryBase | null;
  /** Exact JSON of a non-empty array, otherwise null. */
  pendingToolCalls: string | null;
  /** Exact JSON, otherwise null. */
  error: string | null;
  /** Members unknown to the contract. */
  extra: readonly ExtraMember[];
  /** Exact text of the event's data without its lists' elements and its base. */
  dataText: LongText;
}

/** The beginning of an earlier checkpoint's lists. */
export interface HistoryBase {
  /** The id of the event that reported it. Null, with length 0, for a latest checkpoint without an id or not yet there. */
  id: string | null;
  /** How many of its first messages, and of its metadata's entries if there are so many. */
  length: number;
  /** Whether it must be the run's latest checkpoint. */
  isLatest: boolean;
}

/** A run's latest checkpoint, for reporters whose base was refused. */
export interface LatestReport {
  /** The id of the event that reported it; null if it had none. */
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

/** Selects the latest checkpoint of a run, an agent or both; null for no filter. */
export interface LatestFilter {
  traceId: string | null;
  agentId: string | null;
}

/** Why nobody can decide on tool calls any more. */
export type SupersededReason = 'later_step' | 'replaced' | 'new_attempt' | 'run_ended' | 'run_cancelled' | 'new_run';

interface CallsFact {
  /** As it was then. */
  run: Run;
  checkpoint: Checkpoint;
  /** Distinguishes these calls from others of the same checkpoint. */
  callsDigest: string;
}

/** A checkpoint with tool calls for a person to decide was stored. */
export interface CallsOpened extends CallsFact {
  fact: 'calls_opened';
  /** Why they came too late to be decided; null while they wait. */
  supersededBy: SupersededReason | null;
}

/** Nobody can decide on a checkpoint's tool calls any more, and nobody has. */
export interface CallsSuperseded extends CallsFact {
  fact: 'calls_superseded';
  reason: SupersededReason;
}

/** The status of a run changed, or was reported again. */
export interface StatusChanged {
  fact: 'status_changed';
}

interface RunFact {
  /** As it was then. */
  run: Run;
  /** The run's latest; null if nothing was reported yet. */
  checkpoint: Checkpoint | null;
}

/** A run ended, for the first time or after a restart. Restored ends and cancellations do not count. */
export interface RunEnded extends RunFact {
  fact: 'run_ended';
  /** The number of the thread's change that ended it, which tells a run's endings apart. */
  seq: number;
}

/** A run warned about its budget. */
export interface BudgetWarned extends RunFact {
  fact: 'budget_warned';
}

/** People are reminded of tool calls that still wait. */
export interface CallsReminded extends CallsFact {
  fact: 'calls_reminded';
  /** How often they have been reminded, from 1. */
  reminded: number;
}

export type CallsChanged = CallsOpened | CallsSuperseded;

export type ThreadFact = CallsChanged | CallsReminded | StatusChanged | RunEnded | BudgetWarned;

/** The facts that one job created in one thread. */
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
  /** The columns that identify a row within a thread, separated by commas. */
  keys: string;
  /** SQL: approximate bytes of a row, if it may have many. */
  bytes?: string;
}

/**
 * Another module's part in the journal's transactions: it stores rows in the commit that changes a thread, so that none is lost. Register
 * it with `JournalParticipants.add`.
 */
export interface JournalParticipant {
  /** Its tables with a column `thread_pk`, emptied with the thread. */
  readonly tables: readonly string[];

  /**
   * Tables that may have many rows of one thread, emptied piece by piece after the thread is gone. Readers use them only for existing
   * threads.
   */
  readonly largeTables?: readonly LargeTable[];

  /** The facts for which `statementsForJob` is called; absent for none. Most jobs create facts that interest nobody. */
  readonly interests?: ReadonlySet<ThreadFact['fact']>;

  /**
   * Statements for the transaction, requested after each job that created a fact of interest: what it tells is numbered before later
   * jobs' changes. It gets all the job's facts.
   */
  statementsForJob?(changes: ThreadFacts): Promise<readonly BoundStatement[]>;

  /** Statements for the transaction that creates facts of these threads, once for all its jobs. */
  statementsForCommit?(threads: readonly Readonly<Thread>[], nowMs: number): readonly BoundStatement[];

  /** Statements for the transaction that hides a deleted thread. */
  statementsForDeletion?(threadId: string, nowMs: number): readonly BoundStatement[];

  /** SQL: whether a thread `t` waits for a person, and so must not be deleted for its age. Absent if never. */
  readonly isWaiting?: string;

  /** Describes what is wrong with an imported row of its tables; null if nothing is. */
  importFault?(row: SqlRow, table: string): string | null;

  /** Called after a commit that created facts or hid a thread. */
  committed?(): void;
}

/** Also for a thread that is deleted while it is read. */
export function threadNotFound(options: Pick<DomainErrorOptions, 'isExpected'> = {}): DomainError {
  return new DomainError('not_found', 'thread_not_found', 'There is no such thread.', options);
}

/** Also for a run that was just requested: the server learns of it once its agent has accepted it. */
export function runNotFound(): DomainError {
  return notBegun('run_not_found', 'The thread has no such run');
}

export function notBegun(code: string, what: string): DomainError {
  return new DomainError('not_found', code, `${what}. A run is known once its agent has reported it.`);
}
