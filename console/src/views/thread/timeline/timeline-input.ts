import type { components } from '../../../api/openapi.gen.js';
import type { Work } from './work.js';

type Schemas = components['schemas'];

/** What the timeline needs to know of a run. */
export type TimelineRun = Pick<
  Schemas['ThreadRunDto'],
  'trace_id' | 'parent_trace_id' | 'agent_id' | 'status' | 'started_at' | 'updated_at' | 'error'
> &
  Partial<Pick<Schemas['ThreadRunDto'], 'attempts' | 'attempt_started_at' | 'events'>>;

/** What it needs to know of a step. */
export type TimelineStep = Pick<
  Schemas['ThreadStepDto'],
  | 'trace_id'
  | 'agent_id'
  | 'attempt'
  | 'step_index'
  | 'status'
  | 'tokens_used'
  | 'run_cost_usd'
  | 'budget_usd'
  | 'budget_warning'
  | 'reported_at'
>;

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
  /** The messages that a step brought, by its place among the steps. Where they are not loaded, bars say less. */
  works?: ReadonlyMap<number, readonly Work[]>;
  /** Of every status. */
  approvals?: readonly TimelineApproval[];
}
