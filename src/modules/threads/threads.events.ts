import type { Checkpoint } from './entities/checkpoint.entity.js';
import type { Run } from './entities/run.entity.js';
import type { Thread } from './entities/thread.entity.js';

/** A checkpoint with tool calls that wait for a person was stored. */
export interface CallsOpened {
  fact: 'calls_opened';
  run: Run;
  checkpoint: Checkpoint;
  /** False when a later step of the run had arrived before it: nobody can act on it any more. */
  isActionable: boolean;
}

/** Nobody can act on the tool calls of a checkpoint any more, and nobody has. */
export interface CallsSuperseded {
  fact: 'calls_superseded';
  run: Run;
  checkpoint: Checkpoint;
  reason: 'later_step' | 'replaced' | 'new_attempt' | 'run_ended' | 'new_run';
}

export type ThreadFact = CallsOpened | CallsSuperseded;

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
}
