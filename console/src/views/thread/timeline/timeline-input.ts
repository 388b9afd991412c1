import type { components } from '../../../api/openapi.gen.js';

type Schemas = components['schemas'];

/** What the timeline needs to know of a run. */
export type TimelineRun = Pick<
  Schemas['ThreadRunDto'],
  'trace_id' | 'parent_trace_id' | 'agent_id' | 'status' | 'started_at' | 'updated_at' | 'error'
>;

/** What it needs to know of a checkpoint. */
export type TimelineStep = Pick<
  Schemas['ThreadCheckpointDto'],
  | 'trace_id'
  | 'agent_id'
  | 'step_index'
  | 'status'
  | 'tokens_used'
  | 'run_cost_usd'
  | 'budget_usd'
  | 'budget_warning'
  | 'updated_at'
  | 'pending_tool_calls'
>;

/** What it needs to know of a log entry: when which kind of message was written. */
export type TimelineEntry = Pick<Schemas['LogEntryDto'], 'ts' | 'kind' | 'trace_id' | 'step_index'>;

/** What it needs to know of an approval. */
export type TimelineApproval = Pick<
  Schemas['ApprovalDto'],
  'trace_id' | 'step' | 'attempt' | 'status' | 'created_at' | 'decided_at' | 'decided_by'
>;

/** A thread as the API tells it. */
export interface TimelineInput {
  runs: readonly TimelineRun[];
  /** In the order of the API: by run, then by attempt, then by step. */
  steps: readonly TimelineStep[];
  /** None where they are not loaded: bars then say less. */
  entries?: readonly TimelineEntry[];
  /** Of every status. */
  approvals?: readonly TimelineApproval[];
}
