/** JSON text of values that a field of each kind must refuse. */
const NOT_TEXT = ['7', 'true', '{}', '[]', '["x"]', '{"a":"b"}'];
const NOT_COUNT = [
  ...['"7"', '"NaN"', '"Infinity"', '""', 'true', '{}', '[]', '[1]', '1.5', '-1', '2147483648', '-2147483649'],
  ...['1e300', '1e999', '-1e999', '99999999999999999999', '"0x10"', '"1e3"'],
];
const NOT_AMOUNT = [
  '"0.5"',
  '"NaN"',
  '"Infinity"',
  '""',
  'true',
  '{}',
  '[]',
  '[0.5]',
  '1e999',
  '-1e999',
  '1e300',
  '1000000000001',
];
const NOT_FLAG = ['"true"', '"false"', '""', '0', '1', '{}', '[]'];
const NOT_LIST = ['"x"', '""', '7', 'true', '{}', '{"0":"x","length":1}'];
const NOT_ID = [...NOT_TEXT, '"."', '".."', '"a\\u0000b"', '"a\\nb"', '"a\\u007fb"', `"${'x'.repeat(513)}"`];

export interface Field {
  name: string;
  bad: readonly string[];
}

const field = (bad: readonly string[], ...names: string[]): Field[] => names.map((name) => ({ name, bad }));

/** An empty text for one of the other ids counts as absent. */
const IDS = [...field([...NOT_ID, '""'], 'thread_id'), ...field(NOT_ID, 'trace_id', 'agent_id')];

/** The fields that the specification names, by type of event. */
export const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  thread_started: [...IDS, ...field(NOT_TEXT, 'model')],
  checkpoint: [
    ...IDS,
    ...field(NOT_ID, 'parent_trace_id'),
    ...field(NOT_TEXT, 'status', 'model'),
    ...field(NOT_COUNT, 'step_index', 'tokens_used', 'input_tokens', 'output_tokens', 'turn_start_history_len'),
    ...field(NOT_AMOUNT, 'run_cost_usd', 'budget_usd'),
    ...field(NOT_FLAG, 'budget_warning'),
    ...field(NOT_LIST, 'history', 'history_meta', 'pending_tool_calls'),
  ],
  thread_completed: [...IDS, ...field(NOT_COUNT, 'tokens_used'), ...field(NOT_TEXT, 'model')],
  thread_error: [...IDS, ...field(NOT_COUNT, 'tokens_used'), ...field(NOT_TEXT, 'model')],
  thread_budget_exceeded: [...IDS, ...field(NOT_AMOUNT, 'run_cost_usd', 'budget_usd')],
  thread_idle: [...IDS],
};
