import { useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import type { components } from '../../api/openapi.gen.js';

export type Agent = components['schemas']['AgentResponseDto'];
export type QueuedRun = components['schemas']['QueuedRunDto'];
export type Trigger = components['schemas']['AgentTriggerDto'];

const PAGE = 100;
/** Heartbeats come every 15 seconds. */
const EVERY_MS = 5_000;

export function useAgents() {
  return useInfiniteQuery({
    queryKey: ['agents', 'pages'],
    queryFn: ({ pageParam, signal }) =>
      read(
        api.GET('/v1/agents', { params: { query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } }, signal }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: EVERY_MS,
  });
}
