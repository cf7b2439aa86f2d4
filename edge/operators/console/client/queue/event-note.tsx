import { count, duration, perSecond } from "../../forecast.ts";
import type { QueueNow } from "../../queue-now.ts";
import type { Queue } from "../api.ts";
import { queueLink } from "../use-route.ts";
import { moment } from "../words.ts";

/** Where the event stands, for those who look at the numbers and wonder why nothing moves. */
export function EventNote({ queue, now }: { readonly queue: Queue; readonly now: QueueNow<Queue> }) {
  const sentence = sentenceOf(queue, now);
  if (sentence === undefined) return null;
  return (
    <p class="note">
      {sentence} <a href={queueLink(queue.queueId, "event")}>Event</a>
    </p>
  );
}

function sentenceOf(
  { prequeueOpensAt, opensAt, closesAt, eventOverrides }: Queue,
  now: QueueNow<Queue>,
): string | undefined {
  if (opensAt === null && closesAt === null) return undefined;
  switch (now.phase) {
    case "scheduled":
      return `The event has not begun: places can be taken from ${moment(prequeueOpensAt ?? opensAt ?? 0)}.`;
    case "prequeue":
      return `Places can be taken. The line starts to move at ${moment(opensAt ?? 0)}, in ${duration(now.opensInSeconds)}.`;
    case "over":
      return `The event ended at ${moment(closesAt ?? 0)}: no new places are given, and visitors who have one still enter.`;
    default:
      return eventOverrides === null
        ? `The event is on${closesAt === null ? "" : ` until ${moment(closesAt)}`}.`
        : `The event is on with settings of its own: admission rate ${perSecond(now.admissionRate)}, maximum inside ${count(now.maxActive)}.`;
  }
}
