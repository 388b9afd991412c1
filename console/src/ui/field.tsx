import { useId, type ReactNode } from 'react';
import './field.css';

interface FieldProps {
  label: string;
  /** What to enter and where to find it. */
  hint?: ReactNode;
  /** The value's error, in the server's words. */
  error?: string | undefined;
  isRequired?: boolean;
}

interface TextFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  /** `secret` is never shown again, and the browser must not store it. */
  kind?: 'text' | 'secret' | 'long' | 'digits';
  placeholder?: string;
  autoFocus?: boolean;
}

/** A text field of one line, or of several if `long`. Plain elements: they work under the page's policy and with every screen reader. */
export function TextField({ value, onChange, kind = 'text', placeholder, autoFocus, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(props) =>
        kind === 'long' ? (
          <textarea {...props} rows={3} value={value} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input
            {...props}
            type={kind === 'secret' ? 'password' : 'text'}
            inputMode={kind === 'digits' ? 'numeric' : undefined}
            autoComplete={kind === 'secret' ? 'new-password' : 'off'}
            spellCheck={false}
            autoFocus={autoFocus}
            placeholder={placeholder}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; name: string }[];
}

export function SelectField<Value extends string>({ value, onChange, options, ...field }: SelectFieldProps<Value>) {
  return (
    <Field {...field}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps extends Pick<FieldProps, 'label' | 'hint'> {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export function CheckField({ label, hint, isOn, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="field check">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {hint && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  id: string;
  className: string;
  required: boolean;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

function Field({
  label,
  hint,
  error,
  isRequired = false,
  children,
}: FieldProps & { children: (props: InputProps) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!isRequired && <span className="optional"> (optional)</span>}
      </label>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        className: 'input',
        required: isRequired,
        'aria-invalid': error !== undefined,
        'aria-describedby': described || undefined,
      })}
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
