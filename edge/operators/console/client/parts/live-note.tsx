import type { Polled } from "../use-poll.ts";
import { timeOfDay } from "../words.ts";
import { ProblemNote } from "./problem-note.tsx";

/** Whether what stands on the page is true now. Said aloud only when it ceases to be. */
export function LiveNote({ polled, what }: { readonly polled: Polled<unknown>; readonly what: string }) {
  const { error, readAtMs, value } = polled;
  if (error === undefined)
    return (
      <p class="live">
        <span class="dot" /> {value === undefined ? "Reading…" : `Live, ${timeOfDay(readAtMs)}`}
      </p>
    );
  return (
    <div class="stale">
      <ProblemNote failed={{ action: `Reading ${what}`, kind: "read", error }} />
      <p class="hint">
        {value === undefined ? "Trying again." : `These numbers are from ${timeOfDay(readAtMs)}. Trying again.`}
      </p>
    </div>
  );
}
