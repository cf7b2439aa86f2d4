import { z } from "zod";
import { type Clearing, clearingOf, levelsOf } from "../../engine/auction/clearing-price.ts";

/**
 * Checks an opening with public data only: the orders that took part, the price, the volume and every fill follow from
 * each other by the stated rules. It knows neither owners nor the engine, and reports faults as sentences.
 */
export const publishedAuctionSchema = z.looseObject({
  pair: z.string(),
  number: z.int(),
  tickSize: z.string(),
  lotSize: z.string(),
  referencePrice: z.string().nullable(),
  price: z.string().nullable(),
  volume: z.string(),
  orders: z.int(),
  trades: z.int(),
});

export const publishedOrderSchema = z.looseObject({
  id: z.string(),
  side: z.enum(["buy", "sell"]),
  type: z.string(),
  price: z.string(),
  quantity: z.string(),
  priority: z.string(),
});

export const publishedTradeSchema = z.looseObject({
  id: z.string(),
  price: z.string(),
  quantity: z.string(),
  buyOrderId: z.string(),
  sellOrderId: z.string(),
});

export type PublishedAuction = {
  readonly record: z.output<typeof publishedAuctionSchema>;
  readonly orders: readonly z.output<typeof publishedOrderSchema>[];
  readonly trades: readonly z.output<typeof publishedTradeSchema>[];
};

type Order = {
  readonly id: string;
  readonly side: "buy" | "sell";
  readonly ticks: number;
  readonly lots: number;
  readonly priority: number;
};
type Fill = {
  readonly buyOrderId: string;
  readonly sellOrderId: string;
  readonly ticks: number;
  readonly lots: number;
};

/** The faults, in sentences; none if the opening is as the rules demand. */
export function checkAuction({ record, orders: published, trades }: PublishedAuction): readonly string[] {
  const ticksOf = (price: string) => multipleOf(price, record.tickSize);
  const lotsOf = (quantity: string) => multipleOf(quantity, record.lotSize);
  const orders: Order[] = published.map(({ id, side, price, quantity, priority }) => ({
    ...{ id, side, ticks: ticksOf(price), lots: lotsOf(quantity), priority: Number(priority) },
  }));
  const fills: Fill[] = trades.map(({ buyOrderId, sellOrderId, price, quantity }) => ({
    ...{ buyOrderId, sellOrderId, ticks: ticksOf(price), lots: lotsOf(quantity) },
  }));
  if ([...orders, ...fills].some(({ ticks, lots }) => !(isCount(ticks) && isCount(lots))))
    return ["A price or a quantity is not a multiple of the pair's tick or lot."];
  const referenceTicks = record.referencePrice === null ? 0 : ticksOf(record.referencePrice);
  const clearing = clearingOf({ ...levelsOf(orders), referenceTicks });
  return [
    ...countFaults(record, { orders, fills }),
    ...sequenceFaults(orders),
    ...priceFaults(record, clearing, ticksOf),
    ...fillFaults({ orders, fills, clearing }),
  ];
}

/** Whole lots or ticks; not a number if it is none. */
function multipleOf(decimal: string, unit: string): number {
  const scale = Math.max(decimalsOf(decimal), decimalsOf(unit));
  const [value, step] = [scaled(decimal, scale), scaled(unit, scale)];
  return step > 0n && value % step === 0n ? Number(value / step) : Number.NaN;
}

const decimalsOf = (text: string): number => text.split(".")[1]?.length ?? 0;
const scaled = (text: string, scale: number): bigint => {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(scale, "0"));
};
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

type Listed = { readonly orders: readonly Order[]; readonly fills: readonly Fill[] };

function countFaults({ orders, trades }: PublishedAuction["record"], listed: Listed): readonly string[] {
  const faults = [];
  if (orders !== listed.orders.length)
    faults.push(`The record counts ${orders} orders, and ${listed.orders.length} are published.`);
  if (trades !== listed.fills.length)
    faults.push(`The record counts ${trades} trades, and ${listed.fills.length} are published.`);
  if (new Set(listed.orders.map(({ id }) => id)).size !== listed.orders.length)
    faults.push("An order is published twice.");
  return faults;
}

/** Buys, then sells; the better price first, the earlier order first within a price. */
function sequenceFaults(orders: readonly Order[]): readonly string[] {
  return orders.flatMap((order, place) => {
    const before = orders[place - 1];
    return before === undefined || isBefore(before, order) ? [] : [`Order ${order.id} is not in order of priority.`];
  });
}

function isBefore(one: Order, other: Order): boolean {
  if (one.side !== other.side) return one.side === "buy";
  if (one.ticks === other.ticks) return one.priority < other.priority;
  return one.side === "buy" ? one.ticks > other.ticks : one.ticks < other.ticks;
}

function priceFaults(
  { price, volume, lotSize }: PublishedAuction["record"],
  clearing: Clearing | undefined,
  ticksOf: (price: string) => number,
): readonly string[] {
  const faults = [];
  const [ticks, lots] = [price === null ? 0 : ticksOf(price), volume === "0" ? 0 : multipleOf(volume, lotSize)];
  if (ticks !== (clearing?.ticks ?? 0))
    faults.push(`The price is ${price ?? "none"}; by the rule it is ${clearing?.ticks ?? 0} ticks, not ${ticks}.`);
  if (lots !== Number(clearing?.lots ?? 0n))
    faults.push(`The volume is ${volume}; by the rule it is ${clearing?.lots ?? 0n} lots.`);
  return faults;
}

function fillFaults({ orders, fills, clearing }: Listed & { readonly clearing: Clearing | undefined }) {
  const expected = clearing === undefined ? [] : fillsAt(orders, clearing.ticks);
  const first = Array.from({ length: Math.max(expected.length, fills.length) }, (_, place) => place).find(
    (place) => textOf(fills[place]) !== textOf(expected[place]),
  );
  if (first === undefined) return [];
  return [`Trade ${first + 1} should be ${textOf(expected[first])}; it is ${textOf(fills[first])}.`];
}

function textOf(fill: Fill | undefined): string {
  if (fill === undefined) return "none";
  return `${fill.lots} lots of orders ${fill.buyOrderId} and ${fill.sellOrderId} at ${fill.ticks} ticks`;
}

/** The best buy with the best sell order, as long as both accept the price: each trade in its turn. */
function fillsAt(orders: readonly Order[], ticks: number): readonly Fill[] {
  const buys = orders.filter((order) => order.side === "buy" && order.ticks >= ticks);
  const sells = orders.filter((order) => order.side === "sell" && order.ticks <= ticks);
  const fills: Fill[] = [];
  let [buy, sell, bought, sold] = [0, 0, 0, 0];
  for (let [buyer, seller] = [buys[0], sells[0]]; buyer && seller; [buyer, seller] = [buys[buy], sells[sell]]) {
    const lots = Math.min(buyer.lots - bought, seller.lots - sold);
    fills.push({ buyOrderId: buyer.id, sellOrderId: seller.id, ticks, lots });
    [bought, sold] = [bought + lots, sold + lots];
    if (bought === buyer.lots) [buy, bought] = [buy + 1, 0];
    if (sold === seller.lots) [sell, sold] = [sell + 1, 0];
  }
  return fills;
}
