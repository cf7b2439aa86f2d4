import type { Phase } from "../../../../line/schedule.ts";
import { type Mode, stateNow } from "../words.ts";

type BadgeProps = { readonly mode: Mode; readonly phase: Phase /** All slots are taken. */; readonly isFull: boolean };

export function Badge({ mode, phase, isFull }: BadgeProps) {
  return (
    <span class="badge" data-mode={mode} data-phase={phase} data-full={isFull ? "" : undefined}>
      {stateNow(mode, phase, isFull)}
    </span>
  );
}
