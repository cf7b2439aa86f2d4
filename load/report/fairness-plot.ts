import type { Html } from "../../edge/room/html.ts";
import type { RunRecord, VisitorColumns } from "../record/run-record.ts";
import { valueAxis } from "./axis.ts";
import { countText, tickText } from "./numbers.ts";
import { drawDots, drawPlot, type Ink, type Point } from "./plot.ts";

/** More dots than this are one on top of the other. */
const DOTS_MAX = 2_000;

/** Everybody who was let in, by the place they took in the line and the place in which they went in: a fair line is a straight one. */
export function fairnessPlot({ visitors }: RunRecord): readonly Html[] {
  const people = ranked(visitors);
  if (people.length === 0) return [];
  const every = Math.ceil(people.length / DOTS_MAX);
  const groups = GROUPS.map(({ ink, name, has }) => {
    const members = people.filter(has);
    // Whoever is not of the plain kind is what one looks for: those are thinned among themselves.
    const step = ink === "quiet" ? every : Math.ceil(members.length / DOTS_MAX);
    const points: readonly Point[] = members
      .filter((_, index) => index % Math.max(1, step) === 0)
      .map(({ came, went }) => [came, went] as const);
    return { ink, name, points };
  }).filter(({ points }) => points.length > 0);
  const round = valueAxis(people.length, { isWhole: true });
  const axis = { ticks: round.ticks.filter((tick) => tick <= people.length), max: people.length };
  const shown = groups.reduce((sum, { points }) => sum + points.length, 0);
  const x = { ...axis, label: "place in the line", tickText };
  const y = { ...axis, label: "place of admission", tickText };
  const thinning = shown < people.length ? ` ${countText(shown)} of ${countText(people.length)} people are drawn.` : "";
  const plot = drawPlot({
    title: "Order of the line, order of admission",
    note: `Each dot is a person. Whoever waits in order stands on the diagonal; whoever was away falls above it.${thinning}`,
    ...{ x, y },
    legend: groups.map(({ ink, name }) => ({ ink, name })),
    drawing: groups.map(({ ink, points }) => drawDots(ink, points, { x, y })),
    shape: "tall",
  });
  return [plot];
}

type Ranked = { readonly came: number; readonly went: number; readonly lane: number; readonly wasAway: boolean };

const GROUPS: readonly { readonly ink: Ink; readonly name: string; readonly has: (person: Ranked) => boolean }[] = [
  { ink: "quiet", name: "waited", has: ({ lane, wasAway }) => !wasAway && lane === 0 },
  { ink: "two", name: "came by invite, to a better lane", has: ({ lane, wasAway }) => !wasAway && lane > 0 },
  { ink: "three", name: "was away meanwhile", has: ({ wasAway }) => wasAway },
];

/** The gate's own numbers have gaps, where others stood: ranks among those who were let in have none. */
function ranked({ joinedOrder, admittedOrder, lane, wasAway }: VisitorColumns): readonly Ranked[] {
  const admitted = [...joinedOrder.keys()].filter((visitor) => (joinedOrder[visitor] ?? -1) >= 0 && (admittedOrder[visitor] ?? -1) >= 0);
  const went = ranksBy(admitted, admittedOrder);
  const came = ranksBy(admitted, joinedOrder);
  return admitted.map((visitor) => ({
    came: came.get(visitor) ?? 0,
    went: went.get(visitor) ?? 0,
    lane: lane[visitor] ?? 0,
    wasAway: wasAway[visitor] === 1,
  }));
}

function ranksBy(visitors: readonly number[], column: readonly number[]): ReadonlyMap<number, number> {
  const sorted = visitors.toSorted((one, other) => (column[one] ?? 0) - (column[other] ?? 0));
  return new Map(sorted.map((visitor, index) => [visitor, index + 1]));
}
