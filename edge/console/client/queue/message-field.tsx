import { useId } from "preact/hooks";

const CHARS_MAX = 500;

export function MessageField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Message to those who wait</label>
      <textarea
        id={id}
        rows={3}
        maxLength={CHARS_MAX}
        value={value}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        Shown on the waiting page as plain text. Leave it empty for no message.
      </p>
    </div>
  );
}
