import type { PlaceOrder } from "../../origin/engine/command.ts";
import { isOpen, worth } from "./naive-parts.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

export type Step = { readonly maker: NaiveOrder; readonly lots: number; readonly value: bigint };
export type Plan = {
  /** 0 lots: the order is one of the same user and is cancelled. */
  readonly steps: readonly Step[];
  readonly lots: number;
  readonly value: bigint;
  readonly end: "complete" | "empty" | "price" | "self" | "many" | "spent";
};

/** The effect of the order on the other side, step by step. */
export function planOf(venue: NaiveVenue, pair: NaivePair, command: PlaceOrder): Plan {
  const steps: Step[] = [];
  let end: Plan["end"] | undefined;
  for (const maker of othersInTurn(venue, command)) {
    end = endBefore(venue, pair, { command, steps, maker });
    if (end !== undefined) break;
    const step = stepWith(venue, pair, { command, steps, maker });
    if (step.lots > 0 || maker.user === command.user) steps.push(step);
    end = endAfter(command, steps, step);
    if (end !== undefined) break;
  }
  return { steps, ...totals(steps), end: end ?? (isComplete(command, steps) ? "complete" : "empty") };
}

type Moment = { readonly command: PlaceOrder; readonly steps: readonly Step[]; readonly maker: NaiveOrder };

function endBefore(
  { bounds }: NaiveVenue,
  pair: NaivePair,
  { command, steps, maker }: Moment,
): Plan["end"] | undefined {
  if (isComplete(command, steps)) return "complete";
  if (isTooFar(pair, command, maker.ticks)) return "price";
  if (steps.length === bounds.fillsMax) return "many";
  return maker.user === command.user && command.selfTrade === "cancelNewest" ? "self" : undefined;
}

function stepWith(venue: NaiveVenue, pair: NaivePair, { command, steps, maker }: Moment): Step {
  if (maker.user === command.user) return { maker, lots: 0, value: 0n };
  const { lots: lotsBefore, value: valueBefore } = totals(steps);
  const offered = maker.lots - maker.filledLots;
  const { ticks } = maker;
  if (command.quoteAmount === 0n) {
    const lots = Math.min(offered, command.lots - lotsBefore);
    return { maker, lots, value: worth(venue, pair, { ticks, lots }) };
  }
  const affordable = (command.quoteAmount - valueBefore) / worth(venue, pair, { ticks, lots: 1 });
  const lots = affordable < BigInt(offered) ? Number(affordable) : offered;
  return { maker, lots, value: worth(venue, pair, { ticks, lots }) };
}

/** An order that leaves a rest of the other one is filled, or cannot pay for more. */
function endAfter(command: PlaceOrder, steps: readonly Step[], { maker, lots }: Step): Plan["end"] | undefined {
  if (maker.user === command.user) return command.selfTrade === "cancelBoth" ? "self" : undefined;
  if (lots === maker.lots - maker.filledLots) return undefined;
  return isComplete(command, steps) ? "complete" : "spent";
}

function isComplete({ lots, quoteAmount }: PlaceOrder, steps: readonly Step[]): boolean {
  return quoteAmount > 0n ? totals(steps).value === quoteAmount : totals(steps).lots === lots;
}

function totals(steps: readonly Step[]): { readonly lots: number; readonly value: bigint } {
  return {
    lots: steps.reduce((sum, { lots }) => sum + lots, 0),
    value: steps.reduce((sum, { value }) => sum + value, 0n),
  };
}

export function othersInTurn(venue: NaiveVenue, { pair, side }: PlaceOrder): NaiveOrder[] {
  const others = venue.orders.filter((order) => isOpen(order) && order.pair === pair && order.side !== side);
  return others.sort((a, b) =>
    a.ticks === b.ticks ? a.id - b.id : side === "buy" ? a.ticks - b.ticks : b.ticks - a.ticks,
  );
}

export function isTooFar(pair: NaivePair, { type, side, ticks }: PlaceOrder, price: number): boolean {
  if (type === "market") return isOutsideBand(pair, side, price);
  return side === "buy" ? price > ticks : price < ticks;
}

export function isOutsideBand({ lastTicks, terms }: NaivePair, side: string, price: number): boolean {
  if (lastTicks === 0 || terms.bandPpm === 0) return false;
  const distance = side === "buy" ? price - lastTicks : lastTicks - price;
  return BigInt(distance) * 1_000_000n > BigInt(lastTicks) * BigInt(terms.bandPpm);
}
