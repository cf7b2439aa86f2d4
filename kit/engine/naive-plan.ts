import type { PlaceOrder } from "../../origin/engine/command.ts";
import { isOpen, turnOf, worth } from "./naive-parts.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** The subject of a plan: an order of any kind that trades now. */
export type Planning = Pick<
  PlaceOrder,
  "user" | "pair" | "side" | "type" | "ticks" | "lots" | "quoteAmount" | "selfTrade"
> & {
  /** Of a triggered order: no more than was reserved, in the quote currency for a buy, in lots for a sale. */
  readonly valueMax?: bigint;
  readonly lotsMax?: number;
};

export type Step = {
  readonly maker: NaiveOrder;
  readonly kind: "trade" | "cancel" | "shrink";
  readonly lots: number;
  readonly value: bigint;
};
export type Plan = {
  readonly steps: readonly Step[];
  /** Of the trades. */
  readonly lots: number;
  readonly value: bigint;
  /** Not traded, because it would have been with the same user. */
  readonly prevented: number;
  readonly end: "complete" | "empty" | "price" | "self" | "many" | "spent";
};

/** The effect of the order on the other side, step by step. */
export function planOf(venue: NaiveVenue, pair: NaivePair, order: Planning): Plan {
  const steps: Step[] = [];
  let end: Plan["end"] | undefined;
  for (const maker of othersInTurn(venue, order)) {
    end = endBefore(venue, pair, { order, steps, maker });
    if (end !== undefined) break;
    const step = stepWith(venue, pair, { order, steps, maker });
    if (step.lots > 0 || step.kind === "cancel") steps.push(step);
    end = endAfter(order, steps, step);
    if (end !== undefined) break;
  }
  const trades = steps.filter(({ kind }) => kind === "trade");
  const prevented = steps.filter(({ kind }) => kind === "shrink").reduce((sum, { lots }) => sum + lots, 0);
  const complete = prevented > 0 ? "self" : "complete";
  return { steps, ...totals(trades), prevented, end: end ?? (isComplete(order, steps) ? complete : "empty") };
}

type Moment = { readonly order: Planning; readonly steps: readonly Step[]; readonly maker: NaiveOrder };

const hasShrunk = (steps: readonly Step[]) => steps.some(({ kind }) => kind === "shrink");
const isOwn = ({ user, selfTrade }: Planning, maker: NaiveOrder) => selfTrade !== "none" && maker.user === user;

function endBefore({ bounds }: NaiveVenue, pair: NaivePair, { order, steps, maker }: Moment): Plan["end"] | undefined {
  if (isComplete(order, steps)) return hasShrunk(steps) ? "self" : "complete";
  if (isTooFar(pair, order, maker.ticks)) return "price";
  if (steps.length === bounds.fillsMax) return "many";
  return isOwn(order, maker) && order.selfTrade === "cancelNewest" ? "self" : undefined;
}

function stepWith(venue: NaiveVenue, pair: NaivePair, { order, steps, maker }: Moment): Step {
  const isTheirs = isOwn(order, maker);
  const shrinks = order.selfTrade === "decrement" && (maker.conditions?.listId ?? 0) === 0;
  if (isTheirs && !shrinks) return { maker, kind: "cancel", lots: 0, value: 0n };
  const kind = isTheirs ? "shrink" : "trade";
  const used = totals(steps);
  const { ticks } = maker;
  let lots = maker.lots - maker.filledLots;
  if (order.lots > 0) lots = Math.min(lots, order.lots - used.lots);
  if (order.lotsMax !== undefined) lots = Math.min(lots, order.lotsMax - used.lots);
  for (const most of [order.quoteAmount === 0n ? undefined : order.quoteAmount, order.valueMax]) {
    if (most === undefined) continue;
    const affordable = (most - used.value) / worth(venue, pair, { ticks, lots: 1 });
    if (affordable < BigInt(lots)) lots = Number(affordable);
  }
  return { maker, kind, lots, value: worth(venue, pair, { ticks, lots }) };
}

/** An order that leaves a rest of the other one is filled, or cannot pay for more. */
function endAfter(order: Planning, steps: readonly Step[], { maker, kind, lots }: Step): Plan["end"] | undefined {
  if (kind === "cancel") return order.selfTrade === "cancelBoth" ? "self" : undefined;
  if (lots === maker.lots - maker.filledLots) return undefined;
  if (hasShrunk(steps)) return "self";
  return isComplete(order, steps) ? "complete" : "spent";
}

function isComplete(order: Planning, steps: readonly Step[]): boolean {
  const used = totals(steps);
  const bounds = [order.quoteAmount === 0n ? undefined : order.quoteAmount, order.valueMax];
  if (bounds.some((most) => most !== undefined && used.value === most)) return true;
  return (order.lots > 0 && used.lots === order.lots) || (order.lotsMax !== undefined && used.lots === order.lotsMax);
}

function totals(steps: readonly Step[]): { readonly lots: number; readonly value: bigint } {
  return {
    lots: steps.reduce((sum, { lots }) => sum + lots, 0),
    value: steps.reduce((sum, { value }) => sum + value, 0n),
  };
}

export function othersInTurn(venue: NaiveVenue, { pair, side }: Pick<PlaceOrder, "pair" | "side">): NaiveOrder[] {
  const others = venue.orders.filter((order) => isOpen(order) && order.pair === pair && order.side !== side);
  return others.sort((a, b) =>
    a.ticks === b.ticks ? turnOf(a) - turnOf(b) : side === "buy" ? a.ticks - b.ticks : b.ticks - a.ticks,
  );
}

export function isTooFar(
  pair: NaivePair,
  { type, side, ticks }: Pick<PlaceOrder, "type" | "side" | "ticks">,
  price: number,
): boolean {
  if (type === "market" || type === "stop" || type === "takeProfit") return isOutsideBand(pair, side, price);
  return side === "buy" ? price > ticks : price < ticks;
}

export function isOutsideBand({ lastTicks, terms }: NaivePair, side: string, price: number): boolean {
  if (lastTicks === 0 || terms.bandPpm === 0) return false;
  const distance = side === "buy" ? price - lastTicks : lastTicks - price;
  return BigInt(distance) * 1_000_000n > BigInt(lastTicks) * BigInt(terms.bandPpm);
}
