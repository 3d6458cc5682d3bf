import { type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  help: string;
  problem?: string | undefined;
}

interface TextProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  /** More than one line. */
  rows?: number;
  numeric?: boolean;
}

/** A labelled field that says what it changes and, in place, what is wrong with it. */
export function TextField({ label, help, problem, value, onChange, placeholder, rows, numeric = false }: TextProps) {
  const id = useId();
  const shared = {
    id,
    value,
    placeholder,
    'aria-describedby': `${id}-help ${id}-problem`,
    'aria-invalid': problem !== undefined,
    dir: 'auto',
    spellCheck: false,
  } as const;
  return (
    <div className={numeric ? 'field numeric' : 'field'}>
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          type="text"
          {...shared}
          {...(numeric ? { inputMode: 'numeric' as const } : {})}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <textarea rows={rows} {...shared} onChange={(event) => onChange(event.target.value)} />
      )}
      <p id={`${id}-help`} className="hint">
        {help}
      </p>
      <p id={`${id}-problem`} className="problem" aria-live="polite">
        {problem !== undefined && `✕ ${problem}`}
      </p>
    </div>
  );
}

interface CheckProps extends FieldProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function CheckField({ label, help, problem, checked, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="field check">
      <label htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-help`}
          onChange={(event) => onChange(event.target.checked)}
        />{' '}
        {label}
      </label>
      <p id={`${id}-help`} className="hint">
        {help}
      </p>
      {problem !== undefined && <p className="problem">✕ {problem}</p>}
    </div>
  );
}

interface ChoiceProps<T extends string> extends FieldProps {
  value: T;
  choices: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

export function ChoiceField<T extends string>({ label, help, value, choices, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className="field choice">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input type="radio" name={name} checked={choice.value === value} onChange={() => onChange(choice.value)} />{' '}
          {choice.label}
        </label>
      ))}
      <p className="hint">{help}</p>
    </fieldset>
  );
}

/** A part of the plan that can be left out. */
export function OptionalPart({
  label,
  help,
  on,
  onChange,
  children,
}: {
  label: string;
  help: string;
  on: boolean;
  onChange: (on: boolean) => void;
  children: ReactNode;
}) {
  return (
    <section className="optional-part">
      <CheckField label={label} help={help} checked={on} onChange={onChange} />
      {on && <div className="optional-fields">{children}</div>}
    </section>
  );
}
