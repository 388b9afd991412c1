import { sqlTuple } from '../../src/database/sql-literal.js';

/** More than the number up to which a filter is read first, so that both ways are taken. */
const THREADS = 4_600;
const STATUSES = ['completed', 'completed', 'error', 'in_progress'];
const AGENTS = ['support', 'researcher'];
const MODELS = ['gpt-4o', 'claude', 'gemini'];
export const START_MS = Date.UTC(2026, 0, 1);

/** What the list shows and sorts by of a thread. */
export interface ListedThread {
  pk: number;
  id: string;
  status: string;
  agents: string[];
  model: string;
  updated_at: number;
  started_at: number;
  total_tokens: number;
  total_cost_usd: number;
}

/** Few values of everything, so that there are ties in every order. */
export const LISTED_THREADS: readonly ListedThread[] = Array.from({ length: THREADS }, (_, index) => {
  const scatter = (index * 7919) % 1009;
  return {
    pk: index + 1,
    id: `listed-${String(index).padStart(4, '0')}`,
    status: index % 500 === 3 ? 'budget_exceeded' : STATUSES[scatter % 4]!,
    agents: index % 700 === 5 ? ['auditor'] : index % 10 === 0 ? AGENTS : [AGENTS[scatter % 2]!],
    model: MODELS[index % 3]!,
    updated_at: START_MS + (scatter % 97) * 1000,
    started_at: START_MS - (scatter % 53) * 1000,
    total_tokens: scatter % 31,
    total_cost_usd: (scatter % 29) * 0.1,
  };
});

/** SQL that stores these threads, each with one run and one checkpoint. */
export function listedThreadsScript(threads: readonly ListedThread[]): string {
  const insert = (table: string, rows: object[]) => {
    const columns = Object.keys(rows[0]!).join(',');
    return `INSERT INTO ${table}(${columns}) VALUES ${rows.map((row) => sqlTuple(Object.values(row))).join(',')};`;
  };
  const numbers = { last_seq: 1, next_message: 0, next_meta: 0, run_count: 1, current_run: 1, latest_seq: 1 };
  return (
    insert(
      'thread',
      threads.map((row) => ({
        ...row,
        ...numbers,
        agents: JSON.stringify(row.agents),
        open_runs: 0,
        pending_approvals: 0,
      })),
    ) +
    insert(
      'thread_agent',
      threads.flatMap(({ pk, agents, updated_at }) =>
        agents.map((agent_id) => ({ thread_pk: pk, agent_id, latest_run: 1, open_runs: 0, updated_at })),
      ),
    ) +
    insert('run', threads.map(runOf)) +
    insert('checkpoint', threads.map(checkpointOf))
  );
}

function runOf({ pk, agents, model, status, started_at, updated_at }: ListedThread) {
  const names = { thread_pk: pk, run_no: 1, trace_id: `trace-${pk}`, agent_id: agents[0]! };
  return { ...names, is_sub_agent: false, model, status, attempt: 1, started_at, updated_at };
}

function checkpointOf({ pk, agents, model, status, total_tokens, total_cost_usd, updated_at }: ListedThread) {
  return {
    ...{
      thread_pk: pk,
      seq: 1,
      run_no: 1,
      attempt: 1,
      step_index: 0,
      is_current: true,
      is_initial: false,
      digest: 'd',
    },
    ...{ status, agent_id: agents[0]!, model, tokens_used: total_tokens, input_tokens: 0, output_tokens: 0 },
    ...{ turn_start_history_len: 0, run_cost_usd: total_cost_usd, budget_usd: 0, budget_warning: false, history: '' },
    ...{ history_length: 0, history_meta: '', rev: 1, created_at: updated_at, updated_at },
  };
}
