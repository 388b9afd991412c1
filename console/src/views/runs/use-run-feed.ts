import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { RunFeed, type FeedState } from './run-feed.js';
import type { RunList } from './run-list.js';
import { onSessionChange } from '../../session/session.js';
import type { RunsSearch } from './runs-search.js';

/** Lists kept in memory, so people who come back from a thread find the list as it was. */
const KEPT_FEEDS = 3;
const feeds = new Map<string, RunFeed>();
// Another session may see other threads.
onSessionChange(() => feeds.clear());

function feedOf(search: RunsSearch): RunFeed {
  const key = JSON.stringify(Object.entries(search).sort());
  const feed = feeds.get(key) ?? new RunFeed(search);
  feeds.delete(key);
  feeds.set(key, feed);
  for (const oldest of feeds.keys()) {
    if (feeds.size <= KEPT_FEEDS) break;
    feeds.delete(oldest);
  }
  return feed;
}

/** The threads that the address selects, loaded and followed while the view is shown. */
export function useRunFeed(search: RunsSearch): { feed: RunFeed; list: RunList; state: FeedState; version: number } {
  const feed = useMemo(() => feedOf(search), [search]);
  useEffect(() => feed.open(), [feed]);
  const state = useSyncExternalStore(feed.subscribe, feed.getState);
  const version = useSyncExternalStore(feed.list.subscribe, feed.list.getVersion);
  return { feed, list: feed.list, state, version };
}
