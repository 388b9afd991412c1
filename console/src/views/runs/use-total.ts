import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import type { RunList } from './run-list.js';
import { listQuery, type RunsSearch } from './runs-search.js';

const EVERY_MS = 30_000;

/** The number of matching threads. The server counts only if the list is not loaded to its end. */
export function useTotal(list: RunList, search: RunsSearch): number | undefined {
  const isWhole = list.isLoaded && list.next === null;
  const { data } = useQuery({
    queryKey: ['runs', 'total', search],
    queryFn: async ({ signal }) => {
      const query = {
        ...listQuery(search, Date.now()),
        sort: undefined,
        order: undefined,
        limit: 1,
        count: 'true' as const,
      };
      return (await read(api.GET('/threads', { params: { query }, signal }))).total;
    },
    enabled: list.isLoaded && !isWhole,
    refetchInterval: EVERY_MS,
  });
  return isWhole ? list.ids.length : data;
}
