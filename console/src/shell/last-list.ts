import { onSessionChange } from '../session/session.js';

/** The threads as the list last showed them, for moving between them without it. */
let ids: readonly string[] = [];
// Another session may see other threads.
onSessionChange(() => keepList([]));

export interface Neighbours {
  before: string | undefined;
  after: string | undefined;
  /** From 1. */
  position: number;
  /** Counts only what the list has loaded. */
  total: number;
}

export function keepList(shown: readonly string[]): void {
  ids = [...shown];
}

/** A thread's neighbours in the list that the person came from; null if they came another way. */
export function neighboursOf(id: string): Neighbours | null {
  const at = ids.indexOf(id);
  if (at === -1 || ids.length < 2) return null;
  return { before: ids[at - 1], after: ids[at + 1], position: at + 1, total: ids.length };
}
