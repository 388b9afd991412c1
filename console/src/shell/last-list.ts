/** The threads as the list of runs showed them last, for going from one to the next without it. */
let ids: readonly string[] = [];

export interface Neighbours {
  before: string | undefined;
  after: string | undefined;
  /** From 1. */
  position: number;
  /** As far as the list was loaded. */
  total: number;
}

export function keepList(shown: readonly string[]): void {
  ids = [...shown];
}

/** What stands beside a thread in the list that somebody came from; null where they came another way. */
export function neighboursOf(id: string): Neighbours | null {
  const at = ids.indexOf(id);
  if (at === -1 || ids.length < 2) return null;
  return { before: ids[at - 1], after: ids[at + 1], position: at + 1, total: ids.length };
}
