import { expect } from "vitest";
import type { Trader, TradingVenue } from "./trader.ts";

/** Two users who trade with each other, so that the last price is where a test needs it. */
export type PriceMover = {
  /** One trade of a small quantity at this price, which must be free of other orders. */
  readonly tradeAt: (price: number) => Promise<void>;
  /** Orders that rest, for others to trade with. */
  readonly rest: (side: "buy" | "sell", price: number, quantity: string) => Promise<void>;
};

export async function openPriceMover(venue: TradingVenue, name = "mover"): Promise<PriceMover> {
  const balances = { idr: "900000000000", btc: "900" };
  const [seller, buyer] = [await venue.trader(`${name}_1`, balances), await venue.trader(`${name}_2`, balances)];
  const place = async (trader: Trader, side: string, price: number, more: object) => {
    const placed = await trader.place({ side, price: String(price), quantity: "0.0001", ...more });
    expect([placed.status, placed.text]).toEqual([201, expect.any(String)]);
    return placed;
  };
  return {
    async tradeAt(price) {
      await place(seller, "sell", price, { postOnly: true });
      const { body } = await place(buyer, "buy", price, { timeInForce: "IOC" });
      expect([body["status"], body["averagePrice"]]).toEqual(["filled", String(price)]);
    },
    rest: async (side, price, quantity) => void (await place(seller, side, price, { quantity })),
  };
}
