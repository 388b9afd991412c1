import { useQuery } from '@tanstack/react-query';
import { api, read } from './client.js';
import { Problem } from './problem.js';
import type { components } from './openapi.gen.js';

export type Scope = components['schemas']['ConsoleSessionDto']['scope'];

/** What this session may do; null while that is not known, and without a session of the console: then the server itself says no. */
export function useScope(): Scope | null {
  const { data = null } = useQuery({ queryKey: ['session', 'scope'], queryFn: scopeOfSession, staleTime: Infinity });
  return data;
}

async function scopeOfSession(): Promise<Scope | null> {
  try {
    return (await read(api.GET('/v1/console/session'))).scope;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
}
