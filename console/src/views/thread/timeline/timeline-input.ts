import type { components } from '../../../api/openapi.gen.js';
import type { Work } from './work.js';

type Schemas = components['schemas'];

/** The fields of a run that the timeline needs. */
export type TimelineRun = Pick<
  Schemas['ThreadRunDto'],
  'trace_id' | 'parent_trace_id' | 'agent_id' | 'status' | 'started_at' | 'updated_at' | 'error'
> &
  Partial<Pick<Schemas['ThreadRunDto'], 'attempts' | 'attempt_started_at' | 'events'>>;

/** The fields of a step that it needs. */
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

/** The fields of an approval that it needs. */
export type TimelineApproval = Pick<
  Schemas['ApprovalDto'],
  'trace_id' | 'step' | 'attempt' | 'status' | 'created_at' | 'decided_at' | 'decided_by'
>;

/** A thread as the API returns it. */
export interface TimelineInput {
  runs: readonly TimelineRun[];
  /** In the order of the API: by run, then by attempt, then by step. */
  steps: readonly TimelineStep[];
  /** The messages that a step added, by the step's index. Without them, the bars show less. */
  works?: ReadonlyMap<number, readonly Work[]>;
  /** Of every status. */
  approvals?: readonly TimelineApproval[];
}
