import type { Html } from "../../edge/room/html.ts";
import type { RunRecord } from "../record/run-record.ts";
import { CLIENT_LATE_MS } from "../verdict/order-of-entry.ts";
import { OVERTAKEN_MS } from "../verdict/overtaken.ts";
import { timeAxis, timeTickText, timeUnit, valueAxis } from "./axis.ts";
import { countText, tickText } from "./numbers.ts";
import { drawDots, drawPlot, type Ink, type Point } from "./plot.ts";

/** More dots would overlap. */
const DOTS_MAX = 2_000;

/** Admitted visitors by place and time of entry: in a fair line no dot lies above one to its right. */
export function fairnessPlot({ visitors, durationMs }: RunRecord): readonly Html[] {
  const people = placed(visitors);
  if (people.length === 0) return [];
  const every = Math.ceil(people.length / DOTS_MAX);
  const groups = GROUPS.map(({ ink, name, has }) => {
    const members = people.filter(has);
    // Exceptions stay visible: each group is thinned separately.
    const step = ink === "quiet" ? every : Math.ceil(members.length / DOTS_MAX);
    const points: readonly Point[] = members
      .filter((_, index) => index % Math.max(1, step) === 0)
      .map(({ came, enteredMs }) => [came, enteredMs] as const);
    return { ink, name, points };
  }).filter(({ points }) => points.length > 0);
  const round = valueAxis(people.length, { isWhole: true });
  const shown = groups.reduce((sum, { points }) => sum + points.length, 0);
  const x = {
    ticks: round.ticks.filter((tick) => tick <= people.length),
    max: people.length,
    label: "place in the line",
    tickText,
  };
  const y = {
    ...timeAxis(durationMs),
    label: `entry, ${timeUnit(durationMs)}`,
    tickText: (ms: number) => timeTickText(ms, durationMs),
  };
  const thinning =
    shown < people.length ? ` ${countText(shown)} of ${countText(people.length)} visitors are drawn.` : "";
  const plot = drawPlot({
    title: "Place in the line, time of entry",
    note: `Each dot is a visitor. In a fair line the dots rise from left to right, and no “waited” dot lies more than ${OVERTAKEN_MS} ms above one to its right.${thinning}`,
    ...{ x, y },
    legend: groups.map(({ ink, name }) => ({ ink, name })),
    drawing: groups.map(({ ink, points }) => drawDots(ink, points, { x, y })),
    shape: "tall",
  });
  return [plot];
}

type Placed = {
  readonly came: number;
  readonly enteredMs: number;
  readonly lane: number;
  readonly mayBePassed: boolean;
};

const GROUPS: readonly { readonly ink: Ink; readonly name: string; readonly has: (person: Placed) => boolean }[] = [
  { ink: "quiet", name: "waited", has: ({ lane, mayBePassed }) => !mayBePassed && lane === 0 },
  { ink: "two", name: "came by invite, in a higher lane", has: ({ lane, mayBePassed }) => !mayBePassed && lane > 0 },
  { ink: "three", name: "stopped polling, or polled late", has: ({ mayBePassed }) => mayBePassed },
];

/** The gate's numbers have gaps; ranks among the admitted visitors have none. */
function placed({ joinedOrder, admittedMs, lane, wasAway, lateMs }: RunRecord["visitors"]): readonly Placed[] {
  return [...joinedOrder.keys()]
    .filter((visitor) => (joinedOrder[visitor] ?? -1) >= 0 && (admittedMs[visitor] ?? -1) >= 0)
    .toSorted((one, other) => (joinedOrder[one] ?? 0) - (joinedOrder[other] ?? 0))
    .map((visitor, rank) => ({
      came: rank + 1,
      enteredMs: admittedMs[visitor] ?? 0,
      lane: lane[visitor] ?? 0,
      mayBePassed: wasAway[visitor] === 1 || (lateMs[visitor] ?? 0) > CLIENT_LATE_MS,
    }));
}
