import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { parseExact } from '../../api/exact-json.js';
import { allPages } from '../../api/lists.js';
import type { components } from '../../api/openapi.gen.js';
import type { RuleBody } from './rule-form.js';

export type Rule = components['schemas']['RuleResponseDto'];
export type Rehearsal = components['schemas']['RehearsalDto'];
export type RehearsedCall = Rehearsal['items'][number];

const EVERY_MS = 10_000;
/** Rules to load; at most 200 are active at the same time. */
const MOST = 1_000;
const MEMBERS = ['effect', 'agents', 'tools', 'where', 'other', 'folder', 'limits', 'expires_at', 'note'] as const;

/** @param all whether to include ended ones */
export function useRules(all: boolean) {
  return useQuery({
    queryKey: ['rules', 'list', all],
    queryFn: ({ signal }) => {
      const status = all ? ('all' as const) : ('active' as const);
      return allPages((page) => read(api.GET('/v1/rules', { params: { query: { status, ...page } }, signal })), MOST);
    },
    refetchInterval: EVERY_MS,
  });
}

export function useRule(id: string) {
  return useQuery({
    queryKey: ['rules', 'one', id],
    queryFn: ({ signal }) => read(api.GET('/v1/rules/{id}', { params: { path: { id } }, signal })),
    refetchInterval: EVERY_MS,
  });
}

/** How the rule would have decided past calls. @param rule exact JSON; null while incomplete */
export function useRehearsal(rule: string | null) {
  return useQuery({
    queryKey: ['rules', 'rehearsal', rule],
    queryFn: ({ signal }) =>
      read(api.POST('/v1/rules/rehearse', { body: { rule: parseExact(rule!) as never }, signal })),
    enabled: rule !== null,
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** Creates a rule. @param disagreements how many calls it may allow that people rejected or edited */
export function useMakeRule() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ rule, disagreements }: { rule: RuleBody; disagreements: number }) =>
      read(api.POST('/v1/rules', { body: { ...rule, ...(disagreements > 0 && { disagreements }) } as never })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['rules'] }),
  });
}

export function useRevoke() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => read(api.DELETE('/v1/rules/{id}', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['rules'] }),
  });
}

/** The rule as it was sent, without the server's additions. */
export function wordsOfRule(rule: Rule): Partial<Rule> {
  return Object.fromEntries(MEMBERS.map((name) => [name, rule[name]]));
}
