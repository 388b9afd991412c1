import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../api/client.js';
import type { components } from '../api/openapi.gen.js';

export type Suggestion = components['schemas']['RuleSuggestionDto'];

/** Suggestions are expensive: the server reads many decisions. */
const STALE_MS = 5 * 60_000;

/** The start of a new rule. */
export interface SuggestedDraft {
  rule: Partial<Suggestion['rule']>;
  /** Arguments that the draft cannot limit: the person decides. */
  open: readonly string[];
}

/** What a draft is based on. */
interface Origin {
  agent?: string;
  tool?: string;
  trace?: string;
  step?: number;
  thread?: string;
}

/** Draft rules for what people keep approving for an agent. */
export function suggestionsQuery(agent: string) {
  return queryOptions({
    queryKey: ['rules', 'suggestions', agent],
    queryFn: ({ signal }) => read(api.GET('/v1/rules/suggestions', { params: { query: { agent_id: agent } }, signal })),
    staleTime: STALE_MS,
    retry: false,
  });
}

/** The draft for the calls of an agent and a tool, or of one approval; if the server has none, only their names. */
export function draftQuery({ agent, tool, trace, step, thread }: Origin) {
  return queryOptions({
    queryKey: ['rules', 'draft', agent, tool, trace, step, thread],
    queryFn: async ({ signal }): Promise<SuggestedDraft> => {
      const rule = { ...(agent !== undefined && { agents: [agent] }), ...(tool !== undefined && { tools: [tool] }) };
      if (agent === undefined && trace === undefined) return { rule, open: [] };
      const query =
        trace === undefined ? { agent_id: agent } : { trace_id: trace, step: String(step), thread_id: thread };
      const { items } = await read(api.GET('/v1/rules/suggestions', { params: { query }, signal }));
      const found = items.find((one) => tool === undefined || one.rule.tools.includes(tool));
      return found ?? { rule, open: [] };
    },
    // A refetch must not replace what the person writes.
    staleTime: Infinity,
  });
}
