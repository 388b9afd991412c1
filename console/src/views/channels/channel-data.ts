import { keepPreviousData, useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { channelsQuery } from '../../api/lists.js';
import type { components } from '../../api/openapi.gen.js';

export type Channel = components['schemas']['ChannelResponseDto'];
export type ChannelOrder = components['schemas']['CreateChannelDto'];
export type ChannelMessage = components['schemas']['ChannelMessageDto'];
export type Platform = components['schemas']['PlatformDto'];
export type PlatformField = components['schemas']['PlatformFieldDto'];

const LOG_EVERY_MS = 3_000;

export function useChannels() {
  return useQuery(channelsQuery);
}

/** A channel, refetched: the code may arrive in a chat, and delivery faults come and go. */
export function useChannel(id: string) {
  return useQuery({
    queryKey: ['channels', id],
    queryFn: ({ signal }) => read(api.GET('/v1/channels/{id}', { params: { path: { id } }, signal })),
    refetchInterval: LOG_EVERY_MS,
  });
}

export function usePlatforms() {
  return useQuery({
    queryKey: ['channels', 'platforms'],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/channels/platforms', { signal }))).items,
    staleTime: Infinity,
  });
}

/** The account's identity according to the platform; requested once per config. */
export function useAccount({ id, updated_at }: Channel) {
  return useQuery({
    queryKey: ['channel-account', id, updated_at],
    queryFn: ({ signal }) => read(api.POST('/v1/channels/{id}/check', { params: { path: { id } }, signal })),
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** A remedy for a platform's error text; null if none is known. */
export function remedyFor({ faults }: Platform, words: string | null): string | null {
  if (words === null) return null;
  return faults.find(({ pattern }) => new RegExp(pattern, 'i').test(words))?.remedy ?? null;
}

/** The newest messages in both directions, refetched every 3 seconds. */
export function useMessages(id: string) {
  return useQuery({
    queryKey: ['channels', id, 'messages'],
    queryFn: async ({ signal }) =>
      (await read(api.GET('/v1/channels/{id}/messages', { params: { path: { id }, query: { limit: 50 } }, signal })))
        .items,
    refetchInterval: LOG_EVERY_MS,
  });
}

/** An action on channels; whatever its outcome, the page refetches. */
export function useAct<Input, Output>(act: (input: Input) => Promise<Output>): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ['channels'] }),
  });
}
