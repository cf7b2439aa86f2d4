import { type Mode, stateOf } from "../words.ts";

export function Badge({ mode }: { readonly mode: Mode }) {
  return (
    <span class="badge" data-mode={mode}>
      {stateOf(mode)}
    </span>
  );
}
