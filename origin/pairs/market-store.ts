import type { Redis } from "ioredis";
import { z } from "zod";
import { scanNewestFirst } from "../orders/scan-list.ts";
import { pairTradesKey } from "../projections/keys.ts";

/** What the projection tells everybody about a pair. */
export type MarketStore = {
  readonly book: (pair: string, depth: number) => Promise<Book>;
  readonly trades: (pair: string, page: { readonly beforeId: number | undefined; readonly limit: number }) => Promise<PublicTradePage>;
};

type Level = readonly [price: string, quantity: string];
type Book = { readonly pair: string; readonly sequence: number; readonly at: number; readonly bids: readonly Level[]; readonly asks: readonly Level[] };

type PublicTrade = {
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  readonly takerSide: "buy" | "sell";
  readonly at: number;
};
type PublicTradePage = { readonly trades: readonly PublicTrade[]; readonly nextCursor: string | null };

const storedSchema = z.object({
  id: z.int(),
  price: z.string(),
  quantity: z.string(),
  value: z.string(),
  at: z.int(),
  taker_side: z.enum(["buy", "sell"]),
});

const parseTrade = (text: string) => storedSchema.parse(JSON.parse(text));
