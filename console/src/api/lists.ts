import { queryOptions } from '@tanstack/react-query';
import { api, read } from './client.js';

/** Largest page of the API. */
const PAGE = 200;
/** Items loaded of one list; the page says if there are more. */
const MOST = 2_000;

/** A list, as far as the page loads it. */
export interface Listed<Item> {
  items: Item[];
  /** There are more than {@link MOST}. */
  hasMore: boolean;
}

type Page<Item> = { items: Item[]; next_cursor: string | null };

/** Loads a list page by page. @param most stops once so many items are loaded */
export async function allPages<Item>(
  load: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  most = Infinity,
): Promise<Listed<Item>> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await load({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const item of page.items) items.push(item);
    cursor = page.next_cursor;
  } while (cursor !== null && items.length < most);
  return { items, hasMore: cursor !== null };
}

/** All agents that have called. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => allPages((query) => read(api.GET('/v1/agents', { params: { query }, signal })), MOST),
});

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }) => allPages((query) => read(api.GET('/v1/channels', { params: { query }, signal })), MOST),
});

/** Only admins may see them. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => allPages((query) => read(api.GET('/v1/tokens', { params: { query }, signal })), MOST),
});

/** Only admins may see them. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) =>
    allPages((query) => read(api.GET('/v1/console/sessions', { params: { query }, signal })), MOST),
});
