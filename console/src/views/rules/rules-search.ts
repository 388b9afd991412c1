/** The query parameters of the list's address. */
export interface RulesSearch {
  /** Also show ended rules. */
  show?: 'all';
}

export function rulesSearch(search: Record<string, unknown>): RulesSearch {
  return search.show === 'all' ? { show: 'all' } : {};
}

/** What a new rule is based on: the calls of a tool, or one approval. */
export interface NewRuleSearch {
  agent?: string;
  tool?: string;
  /** The approval: its run, its step and its thread. */
  trace?: string;
  step?: number;
  thread?: string;
}

export function newRuleSearch(search: Record<string, unknown>): NewRuleSearch {
  const found: NewRuleSearch = {};
  for (const name of ['agent', 'tool', 'trace', 'thread'] as const) {
    const text = textOf(search[name]);
    if (text !== undefined) found[name] = text;
  }
  if (Number.isSafeInteger(search.step)) found.step = search.step as number;
  return found;
}

/** The router parses `14` as a number, `true` as a boolean. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
