import { Redis } from "ioredis";
import { beforeAll, describe, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { recover } from "../../origin/commit/recover.ts";
import { CONSUMERS_KEY } from "../../origin/journal/keys.ts";
import { checkAuction, type PublishedAuction } from "../../origin/operators/auction/check-auction.ts";
import { doRecordCommand } from "../../origin/operators/record-commands.ts";
import { restoreStore } from "../../origin/record/sync/restore-store.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Json } from "./venue.ts";

const TIMEOUT = { timeout: 20_000, interval: 50 };
const terms = {
  ...{ baseCurrency: "btc", quoteCurrency: "idr", tickSize: "1000", lotSize: "0.00001", minimumValue: "10000" },
  ...{ makerFeeRate: "0.001", takerFeeRate: "0.002", priceBandRate: "0.2" },
};

let venue: TradingVenue;
let anna: Trader;
let bert: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "1000000000", btc: "10" });
  bert = await venue.trader("bert", { idr: "1000000000", btc: "10" });
});

const put = (json: object) =>
  venue.call("PUT", "/admin/pairs/btcidr", { token: venue.adminToken, json: { ...terms, ...json } });
const read = async (path: string) => (await venue.call("GET", `/market/btcidr${path}`)).body;
const buy = (price: string, quantity: string, more: object = {}) =>
  anna.place({ side: "buy", price, quantity, ...more });
const sell = (price: string, quantity: string) => bert.place({ side: "sell", price, quantity });

async function published(number: number): Promise<PublishedAuction> {
  await expect.poll(async () => (await read(`/auctions/${number}`))["number"], TIMEOUT).toBe(number);
  const [record, orders, trades] = await Promise.all(
    ["", "/orders", "/trades"].map((part) => read(`/auctions/${number}${part}`)),
  );
  return {
    record: record as never,
    orders: orders?.["orders"] as never,
    trades: trades?.["trades"] as never,
  };
}

describe("an opening", () => {
  it("collects orders, shows where it would open, opens at its time, and can be verified by anyone", async () => {
    expect(await read("/auction")).toMatchObject({ state: "none", number: 0, indicative: null });
    const auctionOpensAt = Date.now() + 4_000;
    const entered = await put({ state: "auction", auctionOpensAt, auctionFreezeSeconds: 10 });
    expect([entered.status, entered.body]).toMatchObject([
      200,
      { state: "auction", isTrading: false, auctionOpensAt, auctionFreezeSeconds: 10 },
    ]);
    const placed = [
      await buy("105000", "0.5"),
      await buy("103000", "0.4"),
      await sell("100000", "0.6"),
      await sell("104000", "0.5"),
    ];
    expect(placed.map(({ status, body }) => [status, body["status"]])).toEqual(placed.map(() => [201, "open"]));
    const indicative = { price: "103000", volume: "0.6", surplus: "0.3", surplusSide: "buy" };
    await expect
      .poll(() => read("/auction"), TIMEOUT)
      .toMatchObject({ state: "collecting", number: 1, opensAt: auctionOpensAt, indicative, result: null });
    const cancelled = await anna.call("DELETE", `/orders/${placed[1]?.body["id"]}`);
    expect([cancelled.status, cancelled.body.code]).toEqual([409, "auction_frozen"]);
    await expect
      .poll(() => read("/auction"), TIMEOUT)
      .toMatchObject({ state: "opened", indicative: null, result: { price: "103000", volume: "0.6", trades: 2 } });
    expect((await read("/auction"))["result"]).toMatchObject({ openedAt: expect.any(Number) });
    const auction = await published(1);
    expect(auction.record.price).toBe("103000");
    expect(auction.orders.map(({ id }) => id)).toEqual(placed.map(({ body }) => body["id"]));
    expect(JSON.stringify(auction)).not.toContain(anna.id);
    expect(checkAuction(auction)).toEqual([]);
    const trades = (await read("/trades"))["trades"] as readonly Json[];
    expect(trades.map(({ price, auction: number }) => [price, number])).toEqual([
      ["103000", 1],
      ["103000", 1],
    ]);
    const own = (await anna.call("GET", "/trades")).body["trades"] as readonly Json[];
    expect(own.map(({ liquidity, fee }) => [liquidity, fee])).toEqual([
      ["maker", "0.0001"],
      ["maker", "0.0005"],
    ]);
    // The rest of the book trades on.
    expect((await sell("103000", "0.3")).body).toMatchObject({ status: "filled" });
  });

  it("is entered and left only with sensible terms", async () => {
    const refused = [
      await put({ state: "auction", auctionOpensAt: Date.now() - 1_000 }),
      await put({ state: "auction", auctionFreezeSeconds: 5 }),
      await put({ state: "auction", auctionOpensAt: Date.now() + 60_000, auctionFreezeSeconds: -1 }),
      await put({ state: "trading", auctionOpensAt: Date.now() + 60_000 }),
      await put({ state: "halted", isTrading: true }),
      await put({ state: "closed" }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [422, "auction_time_past"],
      ...Array.from({ length: 5 }, () => [422, "validation_failed"]),
    ]);
    expect((await read("/auctions/7"))["code"]).toBe("auction_not_found");
    expect((await read("/auctions/0"))["code"]).toBe("validation_failed");
    expect(await read("/auction")).toMatchObject({ state: "opened", number: 1 });
  });

  it("is rung by an admin, by hand, and keeps its state through a change of other terms", async () => {
    expect((await put({ state: "auction" })).body).toMatchObject({ state: "auction", auctionOpensAt: null });
    expect((await put({ makerFeeRate: "0" })).body.code).toBe("pair_in_auction");
    expect((await put({ takerFeeRate: "0.003" })).body).toMatchObject({ state: "auction", takerFeeRate: "0.003" });
    const market = await anna.place({ type: "market", side: "buy", quantity: "0.1" });
    expect(market.body).toMatchObject({ type: "market", status: "open", price: "123000" });
    expect((await anna.place({ type: "market", side: "buy", quoteAmount: "100000" })).body.code).toBe(
      "auction_order_unsupported",
    );
    expect((await put({ state: "trading", takerFeeRate: "0.003" })).status).toBe(200);
    await expect.poll(async () => (await read("/auction"))["state"], TIMEOUT).toBe("opened");
    expect((await anna.call("GET", `/orders/${market.body["id"]}`)).body).toMatchObject({ status: "filled" });
    expect(checkAuction(await published(2))).toEqual([]);
  });

  it("is restored from PostgreSQL with its orders, and opens there as it does here", async () => {
    await put({ state: "auction", takerFeeRate: "0.003" });
    const market = await anna.place({ type: "market", side: "buy", quantity: "0.2" });
    const offer = await sell("101000", "0.1");
    expect([market.body["status"], offer.body["status"]]).toEqual(["open", "open"]);
    const other = new Redis((await borrowRedis({ fsync: "always" })).url);
    try {
      const sequence = Number(offer.headers.get("venue-sequence"));
      await expect
        .poll(async () => Number(await venue.redis.hget(CONSUMERS_KEY, "ledger")), TIMEOUT)
        .toBeGreaterThanOrEqual(sequence);
      expect(await restoreStore(venue.database, other)).toMatchObject({ ok: true });
      const recovered = await recover(other);
      if (!recovered.ok) throw new Error(recovered.reason);
      const { engine } = recovered.value;
      const pair = engine.pair("btcidr");
      expect(pair).toMatchObject({ state: "auction", auction: { number: 3, phase: "collecting" } });
      const head = { id: "0-0-0", at: Date.now() };
      const { version: _v, grid: _g, lastTicks: _l, auction: _a, waves: _w, ...known } = pair ?? expect.fail("no pair");
      engine.apply({ ...head, kind: "setPair", terms: { ...known, state: "trading" } });
      engine.apply({ ...head, kind: "tick" });
      expect(engine.verify()).toEqual([]);
      expect((await put({ state: "trading", takerFeeRate: "0.003" })).status).toBe(200);
      await expect.poll(async () => (await read("/auction"))["state"], TIMEOUT).toBe("opened");
      const { record, orders } = await published(3);
      const opened = engine.pair("btcidr");
      expect(opened).toMatchObject({ state: "trading", auction: { orders: orders.length, trades: record.trades } });
      expect(String((opened?.auction.ticks ?? 0) * 1_000)).toBe(record.price);
      expect(engine.order(Number(market.body["id"]))).toBeUndefined();
    } finally {
      other.disconnect();
    }
  });

  it("passes the audit", async () => {
    const work = { database: venue.database, redis: venue.redis, redisUrl: venue.redisServer.url, nowMs: Date.now };
    await expect
      .poll(async () => {
        const audit = await doRecordCommand({ ...work, isRunning: true, name: "audit", target: undefined });
        return [audit.code, audit.text];
      }, TIMEOUT)
      .toEqual([0, expect.any(String)]);
  });
});
