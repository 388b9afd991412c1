import {
  CHECKPOINT_FIELD_NAMES,
  NO_FIELDS_REPORTED,
  withFields,
  type SentFields,
} from '../../../common/contract/checkpoint-fields.js';
import { JsonScanner } from '../../../common/json-scanner.js';
import { isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';

/** Members of a checkpoint that each report states again, or that only the server may set. */
const OWN_MEMBERS = new Set<string>([
  ...['thread_id', 'trace_id', 'parent_trace_id', 'agent_id', 'step_index', 'status', 'history', 'history_meta'],
  ...CHECKPOINT_FIELD_NAMES,
  ...['updated_at', 'error', 'approval'],
  ...['approval_features', 'approval_timeout_seconds', 'approval_remind_seconds'],
]);

interface CheckpointValues extends SentFields {
  step_index: number;
  status: string;
  history: unknown[];
  history_meta: unknown[];
}

/** What the API knows of a run: values to check, and exact texts to build reports on. */
export interface ReportedState {
  values: CheckpointValues;
  /** Elements of the lists as JSON text, without the brackets. */
  historyText: string;
  metaText: string;
  /** Members that the contract does not define, each as `"name":value`. */
  extraMembers: readonly string[];
}

/** Reads a response of `latest`. */
export function readState(text: string): ReportedState {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(bytes);
  const texts: Record<string, string> = {};
  const extraMembers: string[] = [];
  scanner.members((name) => {
    const value = bytes.toString('utf8', ...scanner.value());
    if (name === 'history' || name === 'history_meta') texts[name] = value.slice(1, -1).trim();
    if (!OWN_MEMBERS.has(name)) extraMembers.push(`${JSON.stringify(name)}:${value}`);
  });
  return {
    values: JSON.parse(text) as CheckpointValues,
    historyText: texts.history ?? '',
    metaText: texts.history_meta ?? '',
    extraMembers,
  };
}

/** A run that the API does not know. */
export const NOTHING_REPORTED: ReportedState = {
  values: {
    step_index: 0,
    status: RUN_STATUS.inProgress,
    ...withFields({}, NO_FIELDS_REPORTED, ''),
    pending_tool_calls: [],
    history: [],
    history_meta: [],
  },
  historyText: '',
  metaText: '',
  extraMembers: [],
};

export function hasEnded({ values }: ReportedState): boolean {
  return isEnded(values.status);
}

/** Whether a person has cancelled the run. */
export function isCancelled({ values }: ReportedState): boolean {
  return values.status === RUN_STATUS.cancelled;
}

/** Whether this looks like the row that a run's start writes, not yet replaced by a checkpoint; the run may have been cancelled since. */
export function looksUnreported({ values, extraMembers }: ReportedState): boolean {
  const { step_index, tokens_used, input_tokens, output_tokens, run_cost_usd, budget_usd } = values;
  const counts = [step_index, tokens_used, input_tokens, output_tokens, run_cost_usd, budget_usd];
  const hasNoNews = values.status === RUN_STATUS.inProgress || values.status === RUN_STATUS.cancelled;
  const isBlank = counts.every((count) => count === 0) && hasNoNews && !values.budget_warning;
  return isBlank && values.pending_tool_calls.length === 0 && extraMembers.length === 0;
}
