import { assert } from "../../shared/assert.ts";
import {
  AUCTION_PHASES,
  type AuctionOrders,
  type AuctionProgress,
  type AuctionResult,
  type AuctionRow,
  type ListedOrder,
  NO_AUCTION,
} from "../engine/auction/auction.ts";
import type { OrderSide, OrderType } from "../engine/terms.ts";
import { amountField, amountFrom } from "./amount-field.ts";

/** The rows of auctions as arrays: a pair's progress, and the events that are published. */
type Field = string | number | Field[];

export function auctionFields(row: AuctionProgress): Field[] {
  return [
    ...[row.number, AUCTION_PHASES.indexOf(row.phase), row.rungAt, row.referenceTicks, row.orders],
    ...[row.buyId, row.sellId, row.buyLots, row.sellLots, row.buyTicks, row.sellTicks],
    ...[row.ticks, row.firstTradeId, row.trades, amountField(row.lots)],
  ];
}

export function auctionFrom(fields: readonly unknown[]): AuctionProgress {
  if (fields.length === 0) return NO_AUCTION;
  const [number, phase, rungAt, referenceTicks, orders, buyId, sellId, buyLots, sellLots, ...rest] = fields as number[];
  const [buyTicks, sellTicks, ticks, firstTradeId, trades, lots] = rest;
  return {
    ...({ number, rungAt, referenceTicks, orders, buyId, sellId, buyLots, sellLots } as AuctionProgress),
    ...({ buyTicks, sellTicks, ticks, firstTradeId, trades } as AuctionProgress),
    phase: AUCTION_PHASES[phase as number] as AuctionProgress["phase"],
    lots: amountFrom(lots),
  };
}

export function auctionRowFields(row: AuctionRow): Field[] {
  const head = [row.pair, row.grid, row.number];
  if (row.kind === "orders") return ["o", ...head, row.from, row.orders.map(listedFields)];
  const { rungAt, referenceTicks, orders, ticks, lots, firstTradeId, trades } = row;
  return ["r", ...head, rungAt, referenceTicks, orders, ticks, amountField(lots), firstTradeId, trades];
}

export function auctionRowFrom(fields: readonly unknown[]): AuctionRow {
  const [kind, pair, grid, number, ...rest] = fields;
  const head = { pair: pair as string, grid: grid as number, number: number as number };
  if (kind === "o") return ordersFrom(head, rest);
  assert(kind === "r", "a row of an auction is of a known kind");
  const [rungAt, referenceTicks, orders, ticks, lots, firstTradeId, trades] = rest as number[];
  const counts = { rungAt, referenceTicks, orders, ticks, firstTradeId, trades } as AuctionResult;
  return { ...counts, ...head, kind: "result", lots: amountFrom(lots) };
}

function ordersFrom(head: Pick<AuctionOrders, "pair" | "grid" | "number">, rest: readonly unknown[]): AuctionOrders {
  const [from, orders] = rest as readonly [number, readonly (readonly unknown[])[]];
  return { ...head, kind: "orders", from, orders: orders.map(listedFrom) };
}

const listedFields = ({ id, side, type, ticks, lots, priority }: ListedOrder): Field[] => [
  ...[id, side, type, ticks, lots],
  ...(priority === id ? [] : [priority]),
];

export function listedFrom(fields: readonly unknown[]): ListedOrder {
  const [id, side, type, ticks, lots, priority = id] = fields;
  return {
    id: id as number,
    side: side as OrderSide,
    type: type as OrderType,
    ticks: ticks as number,
    lots: lots as number,
    priority: priority as number,
  };
}
