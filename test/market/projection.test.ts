import { beforeAll, describe, expect, it } from "vitest";
import { JOURNAL_KEY } from "../../origin/journal/keys.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY, positionKey, summaryKey } from "../../origin/market/keys.ts";
import { type MarketWorld, openMarketWorld } from "./market-stores.ts";

const DAY_MS = 86_400_000;
/** Bars expire by Redis' clock, so they are of today; the day changes in the middle. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - 60_000;

describe("market data", () => {
  let market: MarketWorld;

  beforeAll(async () => {
    market = await openMarketWorld({ seed: 41, atMs: START, stepMs: 700 });
  });

  it("equals a recomputation from the ledger: candles of every frame, summaries and positions", async () => {
    const projection = market.project();
    for (let round = 0; round < 5; round++) await market.commit(60);
    await market.settled();
    const { facts, faults } = await market.audit();
    expect(faults).toEqual([]);
    expect(facts.candles).toMatch(/^[1-9]\d+ bars of 2 pairs, [1-9]\d+ trades$/);
    expect(facts.positions).toBe("12 positions");
    await projection.stop();
  });

  it("continues after a stop, and another process takes over, without a difference", async () => {
    for (let round = 0; round < 4; round++) {
      const projection = market.project();
      await market.commit(30);
      if (round % 2 === 0) await market.settled();
      await projection.stop();
    }
    const projection = market.project();
    await market.settled();
    await projection.stop();
    expect((await market.audit()).faults).toEqual([]);
  });

  it("is found to differ when a bar, a number, a position or a summary is changed by hand", async () => {
    const { redis, world } = market;
    const [user = ""] = world.users;
    const key = candlesKey("btcidr", "5m", dayOf(START));
    const [field = "", text = ""] = Object.entries(await redis.hgetall(key))[0] ?? [];
    await redis.hset(key, field, text.replace(/^\d/, "9"));
    expect((await market.audit()).faults).toEqual([
      expect.stringMatching(/^candles: btcidr 5m at .* in Redis, .* by the ledger$/),
    ]);
    await redis.hset(key, field, text);

    const position = await redis.getset(positionKey(user, "btcidr"), "1,2,3,4,5,6");
    expect((await market.audit()).faults[0]).toMatch(/^positions: v1:position:.* by the ledger$/);
    await redis.set(positionKey(user, "btcidr"), position ?? "");

    if ((await redis.hexists(summaryKey("btcidr"), "volume_24h")) === 1) {
      await redis.hset(summaryKey("btcidr"), "volume_24h", "1");
      expect((await market.audit()).faults[0]).toMatch(/^summaries: btcidr: volume_24h is 1 in Redis/);
      await redis.del(summaryKey("btcidr"));
    }
  });

  it("comes back from the ledger when Redis has lost it, with the same numbers", async () => {
    const { redis } = market;
    const numbers = await redis.hgetall(MARKET_PAIRS_KEY);
    const keys = await redis.keys("v1:candle:*");
    await redis.del(MARKET_KEY, MARKET_PAIRS_KEY, ...keys, ...(await redis.keys("v1:position*")));
    await redis.xtrim(JOURNAL_KEY, "MINID", "400-0");
    await market.commit(150);
    await expect.poll(() => market.ledger.state().sequence, { timeout: 10_000 }).toBe(market.world.position().sequence);
    await redis.xtrim(JOURNAL_KEY, "MINID", "450-0");
    const projection = market.project();
    await market.settled();
    expect((await market.audit()).faults).toEqual([]);
    expect(Object.keys(await redis.hgetall(MARKET_PAIRS_KEY))).toEqual(Object.keys(numbers));
    await projection.stop();
  });

  it("is rebuilt by the running projection when an audit asks for it", async () => {
    const { redis } = market;
    const projection = market.project();
    await market.settled();
    const key = candlesKey("btcidr", "1h", dayOf(START));
    const [field = ""] = await redis.hkeys(key);
    await redis.multi().hset(key, field, "1,1,1,1,1,1,1,1,1,1,1").hset(MARKET_KEY, "rebuilding", "1").exec();
    await expect.poll(() => redis.hexists(MARKET_KEY, "rebuilding"), { timeout: 10_000 }).toBe(0);
    await market.settled();
    expect((await market.audit()).faults).toEqual([]);
    await projection.stop();
  });

  it("stops with a sentence at a gap in the journal", async () => {
    const { redis } = market;
    await market.commit(1);
    await market.settled().catch(() => {});
    const projection = market.project();
    await expect.poll(() => projection.state().sequence, { timeout: 10_000 }).toBe(market.world.position().sequence);
    const gap = market.world.position().sequence + 1;
    market.world.next();
    await market.commit(1);
    await expect
      .poll(() => projection.state().haltedFor, { timeout: 10_000 })
      .toBe(`journal entry ${gap} is missing: ${gap + 1} comes next`);
    await redis.quit();
  });
});
