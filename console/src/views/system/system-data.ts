import { useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { sessionsQuery, tokensQuery } from '../../api/lists.js';
import { isForbidden } from '../../api/problem.js';
import type { components } from '../../api/openapi.gen.js';

export type System = components['schemas']['SystemDto'];
export type Finding = components['schemas']['SystemFindingDto'];
export type Token = components['schemas']['TokenResponseDto'];
export type CreatedToken = components['schemas']['CreatedTokenResponseDto'];
export type TokenOrder = components['schemas']['CreateTokenDto'];
export type Notice = components['schemas']['NoticeResponseDto'];
export type Session = components['schemas']['ConsoleSessionDto'];

const EVERY_MS = 10_000;

export function useSystem() {
  return useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => read(api.GET('/v1/system', { signal })),
    refetchInterval: EVERY_MS,
  });
}

/** Refetches, because others may sign in meanwhile, unless the session may not see them. */
function unlessForbidden({ state }: { state: { error: Error | null } }): number | false {
  return isForbidden(state.error) ? false : EVERY_MS;
}

/** Only admins may see them. */
export function useTokens() {
  return useQuery({ ...tokensQuery, refetchInterval: unlessForbidden });
}

/** Only admins may see them. */
export function useSessions() {
  return useQuery({ ...sessionsQuery, refetchInterval: unlessForbidden });
}

export function useNotices() {
  return useQuery({
    queryKey: ['notices'],
    queryFn: ({ signal }) => read(api.GET('/v1/notices', { signal })),
    refetchInterval: unlessForbidden,
  });
}

export function useNoticeAct<Output>(act: (id: string) => Promise<Output>): UseMutationResult<Output, Error, string> {
  const queries = useQueryClient();
  return useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries({ queryKey: ['notices'] }) });
}

/** An action on tokens or sessions; deleting a token ends its sessions, so both are refetched. */
export function useAccessAct<Input, Output>(
  act: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['tokens'] });
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
}
