/** A run as the detail of a thread has it. */
export interface RunRecord {
  trace_id: string;
  parent_trace_id: string | null;
  agent_id: string;
  status: string;
  attempts: number;
  steps: number;
  tokens_used: number;
  run_cost_usd: number;
}

/** The members of a thread's detail that a person reads. */
export interface ThreadRecord {
  thread_id: string;
  trace_id: string;
  status: string;
  model: string;
  agents: string[];
  pending_approvals: number;
  started_at: string;
  updated_at: string;
  duration_ms: number;
  total_tokens: number;
  total_cost_usd: number;
  run_list: RunRecord[];
}
