import { CheckField, SelectField, TextField } from '../../ui/field.js';
import type { PlatformField } from './channel-data.js';
import { labelOf, type Entries } from './config-form.js';

interface ConfigFieldsProps {
  fields: readonly PlatformField[];
  entries: Entries;
  onChange: (entries: Entries) => void;
  errors: Readonly<Record<string, string>>;
}

/** A form generated from a platform's list of fields, so a new platform needs no change here. */
export function ConfigFields({ fields, entries, onChange, errors }: ConfigFieldsProps) {
  return fields.map((field) => {
    const { name } = field;
    const set = (value: string | boolean) => onChange({ ...entries, [name]: value });
    return <ConfigField key={name} field={field} entry={entries[name]} error={errors[name]} onChange={set} />;
  });
}

interface ConfigFieldProps {
  field: PlatformField;
  entry: string | boolean | undefined;
  error: string | undefined;
  onChange: (entry: string | boolean) => void;
}

function ConfigField({
  field: { name, kind, required, secret, choices = [], hint },
  entry,
  error,
  onChange,
}: ConfigFieldProps) {
  const label = labelOf(name);
  const hintText = `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
  if (kind === 'flag') return <CheckField label={label} hint={hintText} isOn={entry === true} onChange={onChange} />;
  const value = typeof entry === 'string' ? entry : '';
  if (kind === 'choice') {
    const options = choices.map((choice) => ({ value: choice, name: choice }));
    return (
      <SelectField
        label={label}
        hint={hintText}
        error={error}
        value={value || choices[0]!}
        onChange={onChange}
        options={options}
      />
    );
  }
  return (
    <TextField
      label={label}
      hint={secret ? `${hintText} Stored encrypted and never shown again.` : hintText}
      error={error}
      isRequired={required}
      kind={secret ? 'secret' : kind === 'digits' ? 'digits' : 'text'}
      placeholder={kind === 'user_ids' ? 'Ids, separated by commas' : undefined}
      value={value}
      onChange={onChange}
    />
  );
}
