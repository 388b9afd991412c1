import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';

/** Whether this session may decide; a session of scope `reader` sees what waits, and cannot act. */
export function useMayDecide(): boolean {
  const { data } = useQuery({ queryKey: ['session', 'scope'], queryFn: scopeOfSession, staleTime: Infinity });
  return data !== 'reader';
}

async function scopeOfSession(): Promise<string | null> {
  try {
    return (await read(api.GET('/v1/console/session'))).scope;
  } catch (error) {
    // Without a session of the console the server itself says no.
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
}
