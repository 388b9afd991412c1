import { useMemo } from 'react';
import type { RunList } from './run-list.js';

/** The agents and models that a person can choose. */
export function useFilterValues(list: RunList, version: number): { agents: string[]; models: string[] } {
  return useMemo(() => {
    const rows = version >= 0 ? [...list.known] : [];
    return { agents: sorted(rows.flatMap(({ agents }) => agents)), models: sorted(rows.map(({ model }) => model)) };
  }, [list, version]);
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].filter((value) => value !== '').sort();
}
