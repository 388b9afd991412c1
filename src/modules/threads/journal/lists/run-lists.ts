import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { ListName } from '../../message-log/continued-lists.js';
import { lastPlaceOf, UNKNOWN_LIST, type RunList, type RunLists, type RunState } from '../rules/thread-state.js';

/**
 * A report at the highest step has the last lists of its run, unless they are empty.
 * @param retired the rows that it replaces: what the run said last before them is for the database to say
 */
export function noteLastLists(run: RunState, row: Checkpoint, lists: RunLists, retired: readonly Checkpoint[]): void {
  const kept = (list: ListName, known: RunList) => (retired.some((one) => one[list] !== '') ? UNKNOWN_LIST : known);
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
  if (run.latest?.history === '' && isThere('history')) run.history = UNKNOWN_LIST;
  if (run.latest?.history_meta === '' && isThere('history_meta')) run.meta = UNKNOWN_LIST;
  if (run.latest?.history === '' && row.history !== '') run.lastSaid = undefined;
}
