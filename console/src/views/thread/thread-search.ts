/** What the address of this view says. */
export interface ThreadSearch {
  q?: string;
}

export function threadSearch(search: Record<string, unknown>): ThreadSearch {
  return typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {};
}
