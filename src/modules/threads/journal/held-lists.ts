import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { ListName } from '../message-log/continued-lists.js';
import {
  lastPlaceOf,
  left,
  sizeOfLists,
  sizeOfTexts,
  UNKNOWN_TAIL,
  type ListTail,
  type ListTails,
  type RunState,
} from './thread-state.js';

/** Bytes that the lists of all runs may take together in a transaction. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The runs in a transaction whose lists are in memory, those of all its threads. Small reports in runs of their own may all go on from long lists, and
 * each would hold one until the commit: above a limit, those that were touched longest ago leave theirs in their rows.
 */
export class HeldLists {
  private readonly held = new Map<RunState, number>();
  private bytes = 0;
  /** Of the texts of runs that were read: they stay until the transaction ends. */
  loadedBytes = 0;

  noteLoaded(run: RunState): RunState {
    this.loadedBytes += sizeOfTexts(run);
    return run;
  }

  /** Call this after each change of a run. */
  note(run: RunState): void {
    this.forget(run);
    const bytes = sizeOfLists(run);
    this.held.set(run, bytes);
    this.bytes += bytes;
    for (const earlier of this.held.keys()) {
      if (this.bytes <= MOST_BYTES || earlier === run) return;
      this.forget(earlier);
      earlier.history = left(earlier.history);
      earlier.meta = left(earlier.meta);
    }
  }

  private forget(run: RunState): void {
    this.bytes -= this.held.get(run) ?? 0;
    this.held.delete(run);
  }
}

/**
 * A report at the highest step has the last lists of its run, unless they are empty.
 * @param retired the rows that it replaces: what the run said last before them is for the database to say
 */
export function noteLastLists(run: RunState, row: Checkpoint, lists: ListTails, retired: readonly Checkpoint[]): void {
  const kept = (list: ListName, tail: ListTail) => (retired.some((one) => one[list] !== '') ? UNKNOWN_TAIL : tail);
  run.history = row.history === '' ? kept('history', run.history) : { ...lists.history, row: row.seq };
  run.meta = row.history_meta === '' ? kept('history_meta', run.meta) : { ...lists.meta, row: row.seq };
  if (row.history !== '') run.lastSaid = lastPlaceOf(run.history);
}

/**
 * Below the highest step, a report may have the last lists or replace them, where those above have none: then it is for the database to say
 * which ones they are.
 * @param retired the rows that it replaces
 */
export function forgetLastLists(run: RunState, row: Checkpoint, retired: readonly Checkpoint[]): void {
  const isThere = (list: ListName) => row[list] !== '' || retired.some((one) => one[list] !== '');
  if (run.latest?.history === '' && isThere('history')) run.history = UNKNOWN_TAIL;
  if (run.latest?.history_meta === '' && isThere('history_meta')) run.meta = UNKNOWN_TAIL;
  if (run.latest?.history === '' && row.history !== '') run.lastSaid = undefined;
}
