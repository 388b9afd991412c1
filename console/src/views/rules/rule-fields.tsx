import { Button } from '../../ui/button.js';
import { CheckField, SelectField, TextField } from '../../ui/field.js';
import { VisibleText } from '../../ui/visible-text.js';
import { dayIn, newCondition, type ConditionEntry, type FormFaults, type RuleForm, type Test } from './rule-form.js';

/** A rule that allows expires within 366 days. */
const MOST_DAYS = 365;

const EFFECTS = [
  { value: 'allow', name: 'Allow: nobody is asked' },
  { value: 'deny', name: 'Reject: nobody is asked' },
  { value: 'ask', name: 'Ask: a person always decides' },
] as const;

const TESTS: { value: Test; name: string }[] = [
  { value: 'equals', name: 'is' },
  { value: 'one_of', name: 'is one of' },
  { value: 'range', name: 'is between' },
  { value: 'prefix', name: 'begins with' },
  { value: 'within', name: 'is in the folder' },
  { value: 'words', name: 'is the command' },
  { value: 'any', name: 'is anything' },
];

interface RuleFieldsProps {
  form: RuleForm;
  onForm: (form: RuleForm) => void;
  faults: FormFaults;
  /** Arguments whose values a draft could not limit: the person decides. */
  open: readonly string[];
}

/** The fields of a rule. */
export function RuleFields({ form, onForm, faults, open }: RuleFieldsProps) {
  const set = (fields: Partial<RuleForm>) => onForm({ ...form, ...fields });
  const isAllow = form.effect === 'allow';
  const wide = isAllow ? '' : ' A * at the end stands for any rest.';
  return (
    <>
      <SelectField
        label="Effect"
        isRequired
        value={form.effect}
        onChange={(effect) => set({ effect })}
        options={EFFECTS}
      />
      <div className="two">
        <TextField
          label="Tools"
          isRequired
          kind="long"
          hint={`One name on each line.${wide}`}
          error={faults.tools}
          value={form.tools}
          onChange={(tools) => set({ tools })}
        />
        <TextField
          label="Agents"
          isRequired
          kind="long"
          hint={`One id on each line.${wide}`}
          error={faults.agents}
          value={form.agents}
          onChange={(agents) => set({ agents })}
        />
      </div>
      <fieldset className="conditions">
        <legend>When all of this is true of the arguments</legend>
        {open.length > 0 && (
          <p className="open">
            The values of{' '}
            <code>
              <VisibleText text={open.join(', ')} isValue />
            </code>{' '}
            differ from call to call. Say what the rule takes, or it allows nothing.
          </p>
        )}
        {form.conditions.map((entry, at) => (
          <Condition
            key={entry.key}
            entry={entry}
            number={at + 1}
            fault={faults[`condition ${entry.key}`]}
            onEntry={(next) => set({ conditions: form.conditions.map((one) => (one === entry ? next : one)) })}
            onRemove={() => set({ conditions: form.conditions.filter((one) => one !== entry) })}
          />
        ))}
        <Button onPress={() => set({ conditions: [...form.conditions, newCondition('')] })}>Add a condition</Button>
        {isAllow && (
          <CheckField
            label="Other arguments may be there"
            hint="Otherwise a call with any argument that no condition names still asks a person."
            isOn={form.takesOthers}
            onChange={(takesOthers) => set({ takesOthers })}
          />
        )}
      </fieldset>
      {isAllow && (
        <div className="two">
          <TextField
            label="Calls in 24 hours, at most"
            isRequired
            kind="digits"
            error={faults.perDay}
            value={form.perDay}
            onChange={(perDay) => set({ perDay })}
          />
          <label className="field">
            <span className="label">Last day</span>
            <input
              type="date"
              className="input"
              required
              min={dayIn(0)}
              max={dayIn(MOST_DAYS)}
              value={form.lastDay}
              onChange={(event) => set({ lastDay: event.target.value })}
            />
          </label>
          <TextField
            label="Argument whose total is limited"
            hint="Such as /amount."
            value={form.sumPath}
            onChange={(sumPath) => set({ sumPath })}
          />
          <TextField
            label="Its total in 24 hours, at most"
            kind="digits"
            error={faults.sum}
            value={form.sumPerDay}
            onChange={(sumPerDay) => set({ sumPerDay })}
          />
        </div>
      )}
      <TextField
        label="Folder in which the agent works"
        hint="An absolute path. Coding agents send theirs; a call from elsewhere asks a person."
        value={form.folder}
        onChange={(folder) => set({ folder })}
      />
      <TextField
        label="Note"
        isRequired
        hint="Why: it stands as the reason beside each decision."
        error={faults.note}
        value={form.note}
        onChange={(note) => set({ note })}
      />
    </>
  );
}

interface ConditionProps {
  entry: ConditionEntry;
  /** From 1. */
  number: number;
  fault: string | undefined;
  onEntry: (entry: ConditionEntry) => void;
  onRemove: () => void;
}

function Condition({ entry, number, fault, onEntry, onRemove }: ConditionProps) {
  const set = (fields: Partial<ConditionEntry>) => onEntry({ ...entry, ...fields });
  const field = { className: 'input', autoComplete: 'off', spellCheck: false, 'aria-invalid': fault !== undefined };
  return (
    <div className="condition" role="group" aria-label={`Condition ${number}`}>
      <input
        {...field}
        className="input path mono"
        aria-label="Argument"
        placeholder="/amount"
        value={entry.path}
        onChange={(event) => set({ path: event.target.value })}
      />
      <select
        className="input"
        aria-label="Test"
        value={entry.test}
        onChange={(event) => set({ test: event.target.value as Test })}
      >
        {TESTS.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {entry.test === 'range' ? (
        <span className="range">
          <input
            {...field}
            aria-label="Lowest"
            inputMode="decimal"
            value={entry.min}
            onChange={(event) => set({ min: event.target.value })}
          />
          <span>and</span>
          <input
            {...field}
            aria-label="Highest"
            inputMode="decimal"
            value={entry.max}
            onChange={(event) => set({ max: event.target.value })}
          />
        </span>
      ) : entry.test === 'one_of' ? (
        <textarea
          {...field}
          className="input mono"
          aria-label="Values, one on each line"
          placeholder="One value on each line"
          rows={Math.min(8, Math.max(2, entry.text.split('\n').length))}
          value={entry.text}
          onChange={(event) => set({ text: event.target.value })}
        />
      ) : entry.test === 'any' ? (
        <span />
      ) : (
        <input
          {...field}
          className="input mono"
          aria-label="Value"
          placeholder={PLACEHOLDERS[entry.test]}
          value={entry.text}
          onChange={(event) => set({ text: event.target.value })}
        />
      )}
      <Button kind="quiet" icon="close" onPress={onRemove} aria-label={`Remove condition ${number}`} />
      {fault && (
        <p className="error" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

const PLACEHOLDERS: Partial<Record<Test, string>> = {
  equals: 'EUR, 5 or "5"',
  prefix: 'https://example.com/',
  within: '/home/ada/project',
  words: 'git add *',
};
