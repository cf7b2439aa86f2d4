import type { InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly unit?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "search" | "password" | "number" | "datetime-local";
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly spellcheck?: boolean;
  readonly autocomplete?: "off" | "name" | "current-password";
};

export function Field({ label, hint, unit, value, onChange, type = "text", ...rest }: FieldProps) {
  const id = useId();
  // Preact's types know one kind of input at a time.
  const attributes = { ...rest, type } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={unit === undefined ? "input" : "input with-unit"}>
        <input
          {...attributes}
          id={id}
          value={value}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        {unit && <span class="unit">{unit}</span>}
      </div>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
};

export function Choice({ label, value, options, onChange, hint }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([optionValue, text]) => (
          <option key={optionValue} value={optionValue}>
            {text}
          </option>
        ))}
      </select>
      {hint && <p class="hint">{hint}</p>}
    </div>
  );
}
