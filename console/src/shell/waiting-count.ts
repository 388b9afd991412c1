import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, read } from '../api/client.js';

const EVERY_MS = 10_000;

/** How many tool calls wait for a person; also at the front of the page's title, so that a tab in the background says it. */
export function useWaitingCount(): number {
  const { data = 0 } = useQuery({
    queryKey: ['approvals', 'count'],
    queryFn: async () =>
      (await read(api.GET('/approvals', { params: { query: { limit: 1, count: 'true' } } }))).total ?? 0,
    refetchInterval: EVERY_MS,
  });
  useEffect(() => {
    const plain = document.title.replace(/^\(\d+\) /, '');
    document.title = data > 0 ? `(${data}) ${plain}` : plain;
  }, [data]);
  return data;
}
