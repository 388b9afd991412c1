/** What the address of this view says. */
export interface ApprovalsSearch {
  q?: string;
}

export function approvalsSearch(search: Record<string, unknown>): ApprovalsSearch {
  return typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {};
}
