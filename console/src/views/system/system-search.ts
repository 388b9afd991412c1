/** The query parameters of this view's address. */
export interface SystemSearch {
  /** A token is being created. */
  new?: 'token';
  /** The token to show. */
  token?: string;
}

export function systemSearch(search: Record<string, unknown>): SystemSearch {
  return {
    ...(search.new === 'token' && { new: 'token' as const }),
    ...(typeof search.token === 'string' && search.token !== '' && { token: search.token }),
  };
}
