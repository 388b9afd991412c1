import { QueryClient } from '@tanstack/react-query';
import { onSessionChange } from '../session/session.js';
import { isReachable, onReachableChange } from './reachable.js';
import { Problem } from './problem.js';

/** What views have loaded. Views mark their own data as stale; when the server comes back, everything is stale. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // The server is often on this machine: a browser without a network still reaches it.
        networkMode: 'always',
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => !(error instanceof Problem && error.status < 500) && failures < 2,
        retryDelay: 1_000,
      },
      mutations: { networkMode: 'always' },
    },
  });
  onReachableChange(() => {
    if (isReachable()) void client.invalidateQueries();
  });
  // Another session may see other things; an ended one, nothing.
  onSessionChange(() => client.clear());
  return client;
}
