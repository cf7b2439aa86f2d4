import type { Phase } from "../../../queue/schedule.ts";
import { type Mode, stateNow } from "../words.ts";

export function Badge({ mode, phase }: { readonly mode: Mode; readonly phase: Phase }) {
  return (
    <span class="badge" data-mode={mode} data-phase={phase}>
      {stateNow(mode, phase)}
    </span>
  );
}
