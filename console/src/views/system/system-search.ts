/** What the address of the system says. */
export interface SystemSearch {
  /** A token is being made. */
  new?: 'token';
  /** The token to look at. */
  token?: string;
}

export function systemSearch(search: Record<string, unknown>): SystemSearch {
  return {
    ...(search.new === 'token' && { new: 'token' as const }),
    ...(typeof search.token === 'string' && search.token !== '' && { token: search.token }),
  };
}
