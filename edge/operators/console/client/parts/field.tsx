import type { InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly unit?: string;
  /** The fault of the value. */
  readonly error?: string | undefined;
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

export function Field({ label, hint, unit, error, value, onChange, type = "text", ...rest }: FieldProps) {
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
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy(id, { hint, error })}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        {unit && <span class="unit">{unit}</span>}
      </div>
      <Fault id={id} error={error} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The region is there from the start, so that a screen reader hears what is put into it. */
function Fault({ id, error }: { readonly id: string; readonly error: string | undefined }) {
  return (
    <p class="fault" id={`${id}-fault`} aria-live="polite">
      {error}
    </p>
  );
}

type Description = { readonly hint?: string | undefined; readonly error?: string | undefined };

function describedBy(id: string, { hint, error }: Description): string | undefined {
  const ids = [error !== undefined && `${id}-fault`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(" ");
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | undefined;
};

export function Choice({ label, value, options, onChange, hint, error }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={describedBy(id, { hint, error })}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([optionValue, text]) => (
          <option key={optionValue} value={optionValue}>
            {text}
          </option>
        ))}
      </select>
      <Fault id={id} error={error} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
