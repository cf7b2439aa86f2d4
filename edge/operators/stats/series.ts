import { gaveUpField, numberOf, type QueueStats, waitField } from "./read-stats.ts";
import { WAIT_BUCKETS } from "./wait-histogram.ts";

/** One minute or one hour of a queue. `waits` is empty for a minute: there are too many of them to keep it. */
export type Span = {
  readonly startsAtMs: number;
  readonly enqueued: number;
  readonly admitted: number;
  readonly expired: number;
  readonly left: number;
  readonly peakWaiting: number;
  readonly peakActive: number;
  readonly waitMsSum: number;
  /** How many waits ended in each bucket, however they ended. */
  readonly waits: readonly number[];
};

export const MINUTES_KEPT = 180;
export const HOURS_KEPT = 24;

/** The last minutes, oldest first; the one that runs is the last. */
export function minutesOf(stats: QueueStats, minutes: number): readonly Span[] {
  return seriesOf(stats, {
    ms: 60_000,
    kept: MINUTES_KEPT,
    wanted: minutes,
    open: "minute",
    prefix: "m",
    fields: COUNTERS,
  });
}

/** The last hours, oldest first; the one that runs is the last. */
export function hoursOf(stats: QueueStats, hours: number): readonly Span[] {
  const fields = [...COUNTERS, ...WAIT_FIELDS];
  return seriesOf(stats, { ms: 3_600_000, kept: HOURS_KEPT, wanted: hours, open: "hour", prefix: "h", fields });
}

/** In the order in which `tally.lua` puts them into its rings. */
const COUNTERS = ["total_enqueued", "total_admitted", "total_expired", "total_left", "wait_ms_sum"];
const WAIT_FIELDS = Array.from({ length: WAIT_BUCKETS }, (_, bucket) => [
  waitField(bucket),
  gaveUpField(bucket),
]).flat();

type Ring = {
  readonly ms: number;
  readonly kept: number;
  readonly wanted: number;
  readonly open: "minute" | "hour";
  readonly prefix: string;
  readonly fields: readonly string[];
};

/** One stored span: its number since 1970, its peaks, the levels at its last change, and its counts. */
type Slot = {
  readonly number: number;
  readonly peaks: readonly [waiting: number, active: number];
  readonly levels: readonly [waiting: number, active: number];
  readonly counts: readonly number[];
};

function seriesOf(stats: QueueStats, ring: Ring): readonly Span[] {
  const open = openSlot(stats, ring);
  const nowNumber = Math.floor(stats.nowMs / ring.ms);
  // After a small step back of the clock the open span continues, although it lies ahead.
  const isAhead = open.number > nowNumber && open.number - nowNumber <= ring.kept;
  const last = isAhead ? open.number : nowNumber;
  const slots = [...closedSlots(stats, ring), open]
    .filter(({ number }) => number <= last)
    .toSorted((a, b) => a.number - b.number);
  const byNumber = new Map(slots.map((slot) => [slot.number, slot]));
  return Array.from({ length: ring.wanted }, (_, index) => {
    const number = last - ring.wanted + 1 + index;
    return spanOf(ring, byNumber.get(number) ?? quietSlot(slots, number));
  });
}

/** The one in which the last change was made; what it has counted is the difference to the totals at its beginning. */
function openSlot(stats: QueueStats, { open, fields }: Ring): Slot {
  const base = numbersIn(stats.fields.get(`${open}_base`));
  return {
    number: numberOf(stats, open),
    peaks: [numberOf(stats, `${open}_peak_queue_size`), numberOf(stats, `${open}_peak_active`)],
    levels: [numberOf(stats, "waiting"), numberOf(stats, "active")],
    counts: fields.map((field, index) => numberOf(stats, field) - (base[index] ?? 0)),
  };
}

function closedSlots({ fields }: QueueStats, { prefix, kept }: Ring): readonly Slot[] {
  return Array.from({ length: kept }, (_, place) => fields.get(`${prefix}${place}`)).flatMap((text) => {
    const [number = 0, peakWaiting = 0, peakActive = 0, waiting = 0, active = 0, ...counts] = numbersIn(text);
    return number === 0
      ? []
      : [{ number, peaks: [peakWaiting, peakActive], levels: [waiting, active], counts } satisfies Slot];
  });
}

/** Nothing was counted in it, and the levels are those of the span before. */
function quietSlot(slots: readonly Slot[], number: number): Slot {
  const levels = slots.findLast((slot) => slot.number < number)?.levels ?? [0, 0];
  return { number, peaks: levels, levels, counts: [] };
}

function spanOf({ ms }: Ring, { number, peaks, counts }: Slot): Span {
  const [enqueued = 0, admitted = 0, expired = 0, left = 0, waitMsSum = 0, ...waits] = counts;
  const [peakWaiting, peakActive] = peaks;
  const both = Array.from(
    { length: waits.length / 2 },
    (_, bucket) => (waits[bucket * 2] ?? 0) + (waits[bucket * 2 + 1] ?? 0),
  );
  return {
    startsAtMs: number * ms,
    enqueued,
    admitted,
    expired,
    left,
    peakWaiting,
    peakActive,
    waitMsSum,
    waits: both,
  };
}

function numbersIn(text: string | undefined): readonly number[] {
  return text === undefined ? [] : text.split(" ").map(Number);
}
