import type { ApiClient } from './api-client.js';
import { jsonMembers } from './json-members.js';
import { filterQuery, type ThreadFilters } from './thread-filters.js';

export interface ThreadsOptions extends ThreadFilters {
  since?: string;
  limit: number;
  json?: boolean;
}

const PAGE = 200;

/** The items of the list as exact JSON, page by page. */
export async function* threadTexts(client: ApiClient, options: ThreadsOptions): AsyncGenerator<string> {
  const { limit, since } = options;
  const query = filterQuery(options);
  if (since !== undefined) query.set('since', since);
  for (let left = limit; left > 0;) {
    query.set('limit', String(Math.min(left, PAGE)));
    let cursor: string | null = null;
    for await (const { name, text } of jsonMembers(client.stream(`/threads?${query}`), ['items'])) {
      if (name === 'next_cursor') cursor = JSON.parse(text) as string | null;
      if (name !== 'items') continue;
      left -= 1;
      yield text;
    }
    if (cursor === null) return;
    query.set('cursor', cursor);
  }
}
