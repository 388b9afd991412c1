import { stringifyExact } from '../../api/exact-json.js';
import type { components } from '../../api/openapi.gen.js';

/** The fields of a thread that the list shows: an item of the API has many more, and thousands of them stay in memory. */
export interface RunRow {
  id: string;
  status: string;
  /** The agent of the latest checkpoint first. */
  agents: string[];
  model: string;
  step: number;
  startedAt: string;
  updatedAt: string;
  tokens: number;
  costUsd: number;
  /** Of the latest run. */
  runCostUsd: number;
  /** Of the latest run; 0 for none. */
  budgetUsd: number;
  isNearBudget: boolean;
  /** Calls of tools that wait for a person. */
  waiting: number;
  /** In progress, but not heard from for a while. */
  isSilent: boolean;
  /** One of its effects has an unknown outcome. */
  isInDoubt: boolean;
  said: { role: string; text: string } | null;
  error: string | null;
}

export type ListedThread = components['schemas']['ListedThreadDto'];

/** Characters of an error that a row can show. */
const MAX_ERROR = 300;

export function runRow(item: ListedThread): RunRow {
  return {
    id: item.thread_id,
    status: item.status,
    agents: [item.agent_id, ...item.agents.filter((agent) => agent !== item.agent_id)],
    model: item.model,
    step: item.step_index,
    startedAt: item.started_at,
    updatedAt: item.updated_at,
    tokens: Number(item.total_tokens),
    costUsd: Number(item.total_cost_usd),
    runCostUsd: Number(item.run_cost_usd),
    budgetUsd: Number(item.budget_usd),
    isNearBudget: item.budget_warning,
    waiting: item.pending_approvals,
    isSilent: item.silent,
    isInDoubt: item.in_doubt,
    said: item.last_message && item.last_message.text !== '' ? item.last_message : null,
    error: errorText(item.error),
  };
}

/** An error as agents report it: a text, an object with a message, or anything else. */
function errorText(error: unknown): string | null {
  if (error === null || error === undefined || error === '') return null;
  if (typeof error === 'string') return error.slice(0, MAX_ERROR);
  const { message } = error as { message?: unknown };
  return (typeof message === 'string' && message !== '' ? message : stringifyExact(error)).slice(0, MAX_ERROR);
}
