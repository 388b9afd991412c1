import {
  CHECKPOINT_FIELD_NAMES,
  fieldMembers,
  NO_FIELDS_REPORTED,
  reportedFields,
  withFields,
  type StoredFields,
} from './checkpoint-fields.js';

describe('the fields of a checkpoint', () => {
  it('are all stored and shown, in the order of the table', () => {
    const stored = withFields({}, NO_FIELDS_REPORTED, 'gpt');
    expect(Object.keys(stored)).toEqual(CHECKPOINT_FIELD_NAMES);
    expect(Object.keys(JSON.parse(`{${fieldMembers(stored)}}`) as object)).toEqual(CHECKPOINT_FIELD_NAMES);
  });

  it('are given back as they were reported', () => {
    const told: Partial<StoredFields> = {
      ...{ tokens_used: 1, input_tokens: 2, output_tokens: 3, model: 'o', turn_start_history_len: 4 },
      ...{ run_cost_usd: 0.5, budget_usd: 0.6, budget_warning: true },
    };
    expect(JSON.parse(`{${fieldMembers(withFields({}, reportedFields(told), 'gpt'))}}`)).toEqual({
      ...told,
      pending_tool_calls: [],
    });
  });

  it('have defaults, and the model of the run', () => {
    expect(JSON.parse(`{${fieldMembers(withFields({}, NO_FIELDS_REPORTED, 'gpt'))}}`)).toEqual({
      ...{ tokens_used: 0, input_tokens: 0, output_tokens: 0, model: 'gpt', turn_start_history_len: 0 },
      ...{ pending_tool_calls: [], run_cost_usd: 0, budget_usd: 0, budget_warning: false },
    });
  });
});
