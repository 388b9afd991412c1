import { statusMeant } from './run-status.js';

/** `count`: an integer; `amount`: a number with decimals; `list`: a JSON array, stored as its exact text, null for an empty one. */
type FieldKind = 'count' | 'amount' | 'text' | 'flag' | 'list';

/**
 * The fields that an agent reports with a checkpoint and that every answer with a checkpoint shows, in the order of the answers. The column
 * of a field has its name. Rules, defaults, columns, answers and the types of the client follow from this table.
 */
export const CHECKPOINT_FIELDS = {
  tokens_used: 'count',
  input_tokens: 'count',
  output_tokens: 'count',
  /** Absent, the model of the run. */
  model: 'text',
  /** Messages of the history that were there before this turn. */
  turn_start_history_len: 'count',
  /** Tool calls that a person shall decide on. */
  pending_tool_calls: 'list',
  /** US dollars, of the run so far. */
  run_cost_usd: 'amount',
  /** US dollars; 0 for none. */
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

/** As columns. */
export type StoredFields = { [Name in CheckpointField]: StoredTypes[Fields[Name]] };
/** As members of an answer. */
export type SentFields = { [Name in CheckpointField]: SentTypes[Fields[Name]] };
/** As members of an event; null for absent. Lists are not among them: of these the event keeps the exact text. */
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

// The functions below are written out: with a loop over the table, or a spread, every event and every answer would take longer.

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

/** The row, with what is stored of the reported fields: the defaults stand in for those that are absent. Lists are empty. */
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

/** The members of an answer, as JSON without braces. SQLite gives booleans back as numbers. */
export function fieldMembers(stored: StoredFields): string {
  return (
    `"tokens_used":${stored.tokens_used},"input_tokens":${stored.input_tokens},"output_tokens":${stored.output_tokens},` +
    `"model":${JSON.stringify(stored.model)},"turn_start_history_len":${stored.turn_start_history_len},` +
    `"pending_tool_calls":${stored.pending_tool_calls ?? '[]'},"run_cost_usd":${stored.run_cost_usd},` +
    `"budget_usd":${stored.budget_usd},"budget_warning":${Boolean(stored.budget_warning)}`
  );
}

export const NO_FIELDS_REPORTED = reportedFields({});
