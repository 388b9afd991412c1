import { useEffect, useMemo } from 'react';
import type { RunList } from './run-list.js';

/** Agents and models that lists of this tab have named; a filtered list names few. */
const seen = { agents: new Set<string>(), models: new Set<string>() };

/** The agents and models that a person can choose. */
export function useFilterValues(list: RunList, version: number): { agents: string[]; models: string[] } {
  const rows = useMemo(() => (version >= 0 ? [...list.known] : []), [list, version]);
  useEffect(() => {
    for (const { agents, model } of rows) {
      agents.forEach((agent) => seen.agents.add(agent));
      seen.models.add(model);
    }
  }, [rows]);
  return useMemo(
    () => ({
      agents: sorted([...seen.agents, ...rows.flatMap(({ agents }) => agents)]),
      models: sorted([...seen.models, ...rows.map(({ model }) => model)]),
    }),
    [rows],
  );
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].filter((value) => value !== '').sort();
}
