import { statusMeant } from './run-status.js';

/** `count`: an integer; `amount`: a number with decimals; `list`: a JSON array, stored as its exact text, null if empty. */
type FieldKind = 'count' | 'amount' | 'text' | 'flag' | 'list';

/**
 * The fields that agents report with a checkpoint and that every response with a checkpoint includes, in the order of the responses.
 * Columns have the same names. Rules, defaults, columns, responses and the client's types follow from this table.
 */
export const CHECKPOINT_FIELDS = {
  tokens_used: 'count',
  input_tokens: 'count',
  output_tokens: 'count',
  /** Defaults to the model of the run. */
  model: 'text',
  /** Number of messages in the history before this turn. */
  turn_start_history_len: 'count',
  /** Tool calls for a person to decide. */
  pending_tool_calls: 'list',
  /** Cost of the run so far in US dollars. */
  run_cost_usd: 'amount',
  /** Budget in US dollars; 0 for none. */
  budget_usd: 'amount',
  budget_warning: 'flag',
} as const satisfies Readonly<Record<string, FieldKind>>;

type Fields = typeof CHECKPOINT_FIELDS;
interface StoredTypes {
  count: number;
  amount: number;
  text: string;
  flag: boolean;
  list: string | null;
}
interface SentTypes extends Omit<StoredTypes, 'list'> {
  list: readonly unknown[];
}

export type CheckpointField = keyof Fields;
export type FieldsOfKind<Kind extends FieldKind> = {
  [Name in CheckpointField]: Fields[Name] extends Kind ? Name : never;
}[CheckpointField];

/** Types of the columns. */
export type StoredFields = { [Name in CheckpointField]: StoredTypes[Fields[Name]] };
/** Types of a response's members. */
export type SentFields = { [Name in CheckpointField]: SentTypes[Fields[Name]] };
/** Types of an event's members; null if absent. Without lists, whose exact text the event keeps. */
export interface ReportedFields extends ReportedValues {
  agent_id: string | null;
  parent_trace_id: string | null;
  step_index: number | null;
  status: string | null;
}
type ReportedValues = { [Name in Exclude<CheckpointField, FieldsOfKind<'list'>>]: StoredFields[Name] | null };

export const CHECKPOINT_FIELD_NAMES = Object.keys(CHECKPOINT_FIELDS) as readonly CheckpointField[];

/** The fields of these kinds, in the order of the table. */
export function fieldsOfKind<Kind extends FieldKind>(...kinds: readonly Kind[]): FieldsOfKind<Kind>[] {
  const isMeant = (name: CheckpointField) => (kinds as readonly FieldKind[]).includes(CHECKPOINT_FIELDS[name]);
  return CHECKPOINT_FIELD_NAMES.filter(isMeant) as FieldsOfKind<Kind>[];
}

// The functions below spell out the fields: looping over the table or spreading would slow down every event and response.

export function reportedFields(data: Readonly<Record<string, unknown>>): ReportedFields {
  const values = data as Partial<ReportedFields>;
  return {
    agent_id: values.agent_id ?? null,
    parent_trace_id: values.parent_trace_id ?? null,
    step_index: values.step_index ?? null,
    status: typeof values.status === 'string' ? statusMeant(values.status) : null,
    tokens_used: values.tokens_used ?? null,
    input_tokens: values.input_tokens ?? null,
    output_tokens: values.output_tokens ?? null,
    model: values.model ?? null,
    turn_start_history_len: values.turn_start_history_len ?? null,
    run_cost_usd: values.run_cost_usd ?? null,
    budget_usd: values.budget_usd ?? null,
    budget_warning: values.budget_warning ?? null,
  };
}

/** The row with its reported fields; defaults replace absent ones. Lists are empty. */
export function withFields<Row extends object>(
  row: Row,
  reported: ReportedFields,
  modelOfRun: string,
): Row & StoredFields {
  const fields: Partial<StoredFields> = row;
  fields.tokens_used = reported.tokens_used ?? 0;
  fields.input_tokens = reported.input_tokens ?? 0;
  fields.output_tokens = reported.output_tokens ?? 0;
  fields.model = reported.model ?? modelOfRun;
  fields.turn_start_history_len = reported.turn_start_history_len ?? 0;
  fields.pending_tool_calls = null;
  fields.run_cost_usd = reported.run_cost_usd ?? 0;
  fields.budget_usd = reported.budget_usd ?? 0;
  fields.budget_warning = reported.budget_warning ?? false;
  return row as Row & StoredFields;
}

/** The members of a response, as JSON without braces. SQLite returns booleans as numbers. */
export function fieldMembers(stored: StoredFields): string {
  return (
    `"tokens_used":${stored.tokens_used},"input_tokens":${stored.input_tokens},"output_tokens":${stored.output_tokens},` +
    `"model":${JSON.stringify(stored.model)},"turn_start_history_len":${stored.turn_start_history_len},` +
    `"pending_tool_calls":${stored.pending_tool_calls ?? '[]'},"run_cost_usd":${stored.run_cost_usd},` +
    `"budget_usd":${stored.budget_usd},"budget_warning":${Boolean(stored.budget_warning)}`
  );
}

export const NO_FIELDS_REPORTED = reportedFields({});
