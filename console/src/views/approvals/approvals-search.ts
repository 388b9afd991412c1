/** What is shown: calls that wait for a decision, questions, effects in doubt, or earlier decisions. */
export const KINDS = ['calls', 'question', 'doubt', 'decided'] as const;
export type Kind = (typeof KINDS)[number];

/** The query parameters of this view's address. */
export interface ApprovalsSearch {
  /** Only this kind; without it, everything that waits. */
  kind?: Kind;
  /** Only this agent's. */
  agent?: string;
  /** The selected item, as {@link placeOf} names it. */
  at?: string;
}

export function approvalsSearch(search: Record<string, unknown>): ApprovalsSearch {
  const found: ApprovalsSearch = {};
  const kind = KINDS.find((name) => name === search.kind);
  const agent = textOf(search.agent);
  const at = textOf(search.at);
  if (kind !== undefined) found.kind = kind;
  if (agent !== undefined) found.agent = agent;
  if (at !== undefined) found.at = at;
  return found;
}

/** The router parses `14` as a number, `true` as a boolean. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
