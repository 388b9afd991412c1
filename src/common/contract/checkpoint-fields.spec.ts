import {
  CHECKPOINT_FIELD_NAMES,
  CHECKPOINT_FIELDS,
  fieldMembers,
  fieldsOfKind,
  NO_FIELDS_REPORTED,
  reportedFields,
  withFields,
} from './checkpoint-fields.js';

const DEFAULTS = { count: 0, amount: 0, text: 'model of the run', flag: false, list: [] };
const SAMPLES = { count: 7, amount: 0.5, text: 'gpt-4o', flag: true };

function sent(data: Record<string, unknown>): Record<string, unknown> {
  const stored = withFields({}, reportedFields(data), DEFAULTS.text);
  return JSON.parse(`{${fieldMembers(stored)}}`) as Record<string, unknown>;
}

describe('The fields of a checkpoint', () => {
  it('are all stored and shown, in the order of the table', () => {
    expect(Object.keys(withFields({}, NO_FIELDS_REPORTED, ''))).toEqual(CHECKPOINT_FIELD_NAMES);
    expect(Object.keys(sent({}))).toEqual(CHECKPOINT_FIELD_NAMES);
  });

  it.each(fieldsOfKind('count', 'amount', 'text', 'flag'))('give %s back as it was reported', (name) => {
    const value = SAMPLES[CHECKPOINT_FIELDS[name]];
    expect(sent({ [name]: value })).toEqual({ ...sent({}), [name]: value });
  });

  it.each(CHECKPOINT_FIELD_NAMES)('have a default for %s', (name) => {
    expect(sent({})[name]).toEqual(DEFAULTS[CHECKPOINT_FIELDS[name]]);
  });
});
