import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, read } from '../../api/client.js';
import { formatCompact } from '../../lib/format.js';
import type { Choice } from '../../ui/choice-menu.js';
import type { RunList } from './run-list.js';

/** Choices in a menu; the search finds the rest. */
const MOST = 200;
const FRESH_MS = 60_000;

/** The agents and models to choose from: those that ran in the last 30 days, the most expensive first, and those in the list. */
export function useFilterValues(list: RunList, version: number): { agents: Choice[]; models: Choice[] } {
  const agents = useCounted('agent', version > 0);
  const models = useCounted('model', version > 0);
  return useMemo(() => {
    const rows = version >= 0 ? [...list.known] : [];
    return {
      agents: withOthers(
        agents,
        rows.flatMap((row) => row.agents),
      ),
      models: withOthers(
        models,
        rows.map(({ model }) => model),
      ),
    };
  }, [list, version, agents, models]);
}

/** Waits for the list, which comes first. */
function useCounted(by: 'agent' | 'model', enabled: boolean): readonly Choice[] {
  const { data = [] } = useQuery({
    queryKey: ['runs', 'values', by],
    queryFn: async ({ signal }) => {
      const { items } = await read(api.GET('/v1/stats', { params: { query: { by } }, signal }));
      return items.map(({ key, runs }) => ({ value: key, label: key, hint: formatCompact(runs) }));
    },
    staleTime: FRESH_MS,
    enabled,
  });
  return data;
}

function withOthers(counted: readonly Choice[], listed: readonly string[]): Choice[] {
  const known = new Set(counted.map(({ value }) => value));
  const others = [...new Set(listed)].filter((value) => !known.has(value)).sort();
  const all = [...counted, ...others.map((value) => ({ value, label: value }))];
  return all.filter(({ value }) => value !== '').slice(0, MOST);
}
