/** What the address of this view says. */
export interface RunsSearch {
  q?: string;
}

export function runsSearch(search: Record<string, unknown>): RunsSearch {
  return typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {};
}
