import type { Checkpoint } from './entities/checkpoint.entity.js';
import type { Run } from './entities/run.entity.js';
import type { Thread } from './entities/thread.entity.js';

/** Why nobody can act on tool calls any more. */
export type SupersededReason = 'later_step' | 'replaced' | 'new_attempt' | 'run_ended' | 'new_run';

interface CallsFact {
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

/** The status of a run is another one, or was reported anew. */
export interface StatusChanged {
  fact: 'status_changed';
  run: Run;
}

export type CallsChanged = CallsOpened | CallsSuperseded;

export type ThreadFact = CallsChanged | StatusChanged;

/** Facts of one thread, as one transaction brings them about. */
export interface ThreadFacts {
  thread: Readonly<Thread>;
  facts: readonly ThreadFact[];
  nowMs: number;
  /** Adds a change to the thread's event log and live stream. */
  tell: (type: string, data: string, runNo: number, stepIndex: number) => void;
}

/**
 * Another module's part in the journal's transactions: what must not get lost when a thread changes becomes rows in the same commit.
 * Registered with `ThreadJournal.addParticipant`.
 */
export interface JournalParticipant {
  /** Its tables with a column `thread_pk`, emptied with the thread. */
  readonly tables: readonly string[];

  /** SQL with its values inlined, run in the transaction that brings the facts about; the empty text for nothing to do. */
  scriptFor(facts: ThreadFacts): string;

  /** The same for the transaction that takes the thread out of sight. */
  scriptForDeletion?(threadId: string, nowMs: number): string;

  /** Called after a commit that brought facts about, or took a thread out of sight. */
  committed?(): void;
}
