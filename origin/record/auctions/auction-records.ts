import { z } from "zod";
import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import { amountText, stepsOf } from "../../instruments/amounts.ts";
import { type Grid, priceText, quantityText } from "../../instruments/grid.ts";
import { createGrids } from "../../instruments/grids.ts";
import { listedFrom } from "../../journal/auction-fields.ts";
import { listCurrencies, listGrids, steps, wholeNumber } from "../ledger/ledger-queries.ts";
import findAuctionSource from "./find-auction.sql";
import findAuctionOrdersSource from "./find-auction-orders.sql";
import listAuctionTradesSource from "./list-auction-trades.sql";

/**
 * The public record of auctions: the result, every order that took part without its owner, and every trade, with the
 * journal entries that have them. Enough for `npm run verify-auction`. Every call fails with `DatabaseUnavailable` while
 * PostgreSQL is unavailable; the record follows an opening within seconds.
 */
export type AuctionRecords = {
  readonly find: (name: AuctionName) => Promise<AuctionRecord | undefined>;
  /** The page that begins with this order; pages are as long as the engine's slices. */
  readonly orders: (name: AuctionName, from: number) => Promise<AuctionOrderPage | undefined>;
  readonly trades: (name: AuctionName, page: TradePage) => Promise<readonly AuctionTrade[]>;
};

export type AuctionName = { readonly pair: string; readonly number: number };
type TradePage = { readonly afterId: number; readonly limit: number; readonly rungAt: number };

type EntryName = { readonly sequence: number; readonly hash: string };

export type AuctionRecord = AuctionName & {
  readonly openedAt: number;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly referencePrice: string | null;
  readonly price: string | null;
  readonly volume: string;
  readonly orders: number;
  readonly trades: number;
  readonly entry: EntryName;
};

export type AuctionOrderPage = {
  readonly orders: readonly {
    readonly id: string;
    readonly side: "buy" | "sell";
    readonly type: string;
    readonly price: string;
    readonly quantity: string;
    readonly priority: string;
  }[];
  readonly nextFrom: number;
  readonly entry: EntryName;
};

export type AuctionTrade = {
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  readonly buyOrderId: string;
  readonly sellOrderId: string;
  readonly at: number;
};

const entryFields = { sequence: wholeNumber, journalHash: z.string() };

const findAuction = defineQuery({
  name: "find-auction",
  source: findAuctionSource,
  params: ["pair", "number"],
  row: z.object({
    ...{ pair: z.string(), number: z.int(), grid: z.int(), rungAt: wholeNumber, referenceTicks: wholeNumber },
    ...{ orders: z.int(), ticks: wholeNumber, lots: steps, firstTradeId: wholeNumber, trades: z.int() },
    ...entryFields,
  }),
});

const findAuctionOrders = defineQuery({
  name: "find-auction-orders",
  source: findAuctionOrdersSource,
  params: ["pair", "number", "first"],
  row: z.object({ first: z.int(), grid: z.int(), orders: z.string(), ...entryFields }),
});

const listAuctionTrades = defineQuery({
  name: "list-auction-trades",
  source: listAuctionTradesSource,
  params: ["pair", "number", "after", "limit", "atMs"],
  row: z.object({
    ...{ id: z.string(), grid: z.int(), price: z.string(), qty: z.string(), value: z.string() },
    ...{ buyOrderId: z.string(), sellOrderId: z.string(), at: wholeNumber },
  }),
});

export function openAuctionRecords(database: Database): AuctionRecords {
  const grids = createGrids();

  /** Grids never change, so they are read when one is not known. */
  async function gridOf(pair: string, grid: number): Promise<Grid> {
    if (grids.find(pair, grid) === undefined)
      grids.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
    return grids.of(pair, grid);
  }

  return {
    async find({ pair, number }) {
      const found = await findAuction.first(database, { pair, number: String(number) });
      if (found === undefined) return undefined;
      const grid = await gridOf(pair, found.grid);
      const priceOf = (ticks: number) => (ticks === 0 ? null : priceText(ticks, grid));
      return {
        ...{ pair, number, openedAt: found.rungAt },
        ...{ tickSize: priceText(1, grid), lotSize: quantityText(1, grid) },
        ...{ referencePrice: priceOf(found.referenceTicks), price: priceOf(found.ticks) },
        ...{ volume: quantityText(found.lots, grid), orders: found.orders, trades: found.trades },
        entry: { sequence: found.sequence, hash: found.journalHash },
      };
    },
    async orders({ pair, number }, from) {
      const asked = { pair, number: String(number), first: String(from) };
      const found = await findAuctionOrders.first(database, asked);
      if (found === undefined) return undefined;
      const grid = await gridOf(pair, found.grid);
      const listed = (JSON.parse(found.orders) as readonly (readonly unknown[])[]).map(listedFrom);
      const orders = listed.map(({ id, side, type, ticks, lots, priority }) => ({
        ...{ id: String(id), side, type, price: priceText(ticks, grid), quantity: quantityText(lots, grid) },
        priority: String(priority),
      }));
      return { orders, nextFrom: from + orders.length, entry: { sequence: found.sequence, hash: found.journalHash } };
    },
    async trades({ pair, number }, { afterId, limit, rungAt }) {
      const asked = {
        pair,
        number: String(number),
        after: String(afterId),
        limit: String(limit),
        atMs: String(rungAt),
      };
      const found = await listAuctionTrades.all(database, asked);
      return Promise.all(
        found.map(async ({ grid: gridNumber, price, qty, value, ...trade }) => {
          const grid = await gridOf(pair, gridNumber);
          const text = (decimal: string, scale: number) => amountText(stepsOf(decimal, scale), scale);
          return {
            ...trade,
            price: text(price, grid.quoteScale),
            quantity: text(qty, grid.baseScale),
            value: text(value, grid.quoteScale),
          };
        }),
      );
    },
  };
}
