import { systemClock } from "../../../../../shared/clock.ts";
import { duration } from "../../forecast.ts";
import { moment } from "../words.ts";
import { type EventDraft, momentOf } from "./event-draft.ts";

/** The draft in sentences, so that a slip of a day or an hour catches the eye. */
export function EventTimeline({ draft }: { readonly draft: EventDraft }) {
  const nowMs = systemClock.nowMs();
  const steps = [
    { what: "Places can be taken", atMs: momentOf(draft.prequeueOpensAt) },
    { what: "The line begins to move", atMs: momentOf(draft.opensAt) },
    { what: "The line closes", atMs: momentOf(draft.closesAt) },
  ].flatMap(({ what, atMs }) => (atMs === null ? [] : [{ what, atMs }]));
  if (steps.length === 0) return <p class="empty">No event: the line is open all the time.</p>;
  return (
    <ol class="timeline" aria-label="How it goes">
      {steps.map(({ what, atMs }, index) => (
        <li key={what} data-past={atMs <= nowMs ? "" : undefined}>
          <b>{what}</b>
          <span>{moment(atMs)}</span>
          <span class="hint">{distance(atMs, steps[index - 1]?.atMs, nowMs)}</span>
        </li>
      ))}
    </ol>
  );
}

function distance(atMs: number, beforeMs: number | undefined, nowMs: number): string {
  if (beforeMs === undefined) return atMs <= nowMs ? "already" : `in ${duration((atMs - nowMs) / 1000)}`;
  return atMs > beforeMs
    ? `${duration((atMs - beforeMs) / 1000).replace("about ", "")} later`
    : "before the step above";
}
