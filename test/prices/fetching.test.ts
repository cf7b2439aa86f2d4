import { describe, expect, it } from "vitest";
import { SHAPES, startFakeProvider } from "../../kit/price-provider.ts";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { DEFAULT_SCHEDULE, dueTimes, nextDueMs } from "../../origin/prices/calendar/schedule.ts";
import { startPricesWorld } from "./prices-world.ts";

/** A Wednesday at peak. */
const START = "2025-01-15T06:30:00Z";
const world = await startPricesWorld({ startAt: START });
const provider = await startFakeProvider(SHAPES.tgju());
world.allowHost(provider.host);
await world.disable("demo");
await world.use("tgju", ["usd_sell", "gold_18k"]);
await world.point("tgju", provider.url);

describe("a due time", () => {
  it("is fetched once by any number of processes that look at the same moment", async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase({ url: world.postgres?.url, folder: "" })),
    );
    try {
      const workers = [world.worker, ...others.map((database) => world.newWorker(database))];
      for (let round = 0; round < 5; round++) {
        const before = provider.requests.length;
        const fetched = await Promise.all(workers.flatMap((worker) => [worker.look(), worker.look()]));
        expect(new Set(fetched.flat())).toEqual(new Set(["tgju"]));
        expect(provider.requests.length - before).toBe(1);
        world.setTime((await world.providers.find("tgju"))?.dueAt ?? 0);
      }
    } finally {
      await Promise.all(others.map((database) => database.close()));
    }
  });

  it("is not fetched again after a restart", async () => {
    await world.worker.look();
    const before = provider.requests.length;
    for (let restart = 0; restart < 5; restart++) expect(await world.newWorker().look()).toEqual([]);
    expect(provider.requests.length).toBe(before);
  });

  it("is lost with the process that took it, and the next one is fetched", async () => {
    const due = (await world.providers.find("tgju"))?.dueAt ?? 0;
    world.setTime(due);
    const dying = world.newWorker({
      ...world.database,
      transaction: () => Promise.reject(new Error("killed before the result was written")),
    });
    const before = provider.requests.length;
    await expect(dying.look()).rejects.toThrow("killed");
    expect(provider.requests.length).toBe(before + 1);
    expect(await world.worker.look()).toEqual([]);
    expect((await world.providers.find("tgju"))?.dueAt).toBe(nextDueMs(DEFAULT_SCHEDULE, due));
    world.setTime(nextDueMs(DEFAULT_SCHEDULE, due));
    expect(await world.worker.look()).toEqual(["tgju"]);
  });

  it("follows the clock for a day: every due time once, nothing else", async () => {
    const fromMs = world.clock.nowMs();
    const expected = dueTimes(DEFAULT_SCHEDULE, fromMs, fromMs + 24 * 3_600_000);
    const before = provider.requests.length;
    for (let atMs = fromMs; atMs <= fromMs + 24 * 3_600_000; atMs += 5 * 60_000) {
      world.setTime(atMs);
      await world.worker.look();
    }
    expect(provider.requests.length - before).toBe(expected.length);
  });

  it("comes at once when an admin refreshes, and earlier under a denser schedule", async () => {
    world.setTime(world.clock.nowMs() + 60_000);
    expect(await world.worker.look()).toEqual([]);
    expect(await world.providers.refresh(COMMAND_LINE, { provider: "tgju", acceptsJumps: false })).toMatchObject({
      ok: true,
    });
    expect(await world.worker.look()).toEqual(["tgju"]);
  });
});

describe("a fetched price", () => {
  it("is in the latest price, today's course and a bar of ten minutes, all in one transaction", async () => {
    const [counts] = (await world.database.query(
      "SELECT (SELECT count(*)::int FROM current_prices) AS current, (SELECT max(jsonb_array_length(data_points))::int FROM intraday_ohlc) AS points, (SELECT count(*)::int FROM historical_ohlc WHERE item_code = 'usd_sell') AS bars, (SELECT date_jalali FROM intraday_ohlc ORDER BY date LIMIT 1) AS jalali",
      [],
    )) as readonly { current: number; points: number; bars: number; jalali: string }[];
    expect(counts).toMatchObject({ current: 2, jalali: "1403/10/26" });
    expect(counts?.points).toBeLessThanOrEqual(144);
    expect(counts?.bars).toBeGreaterThan(20);
  });

  it("is on the board of every process, and stale by its own date when no process is left", async () => {
    const shown = (await world.board()).find("usd_sell");
    expect(shown).toMatchObject({ price: "1064500", dataAge: "fresh", unit: "rial", isDemo: false });
    expect(shown?.sparkline.length).toBeGreaterThan(5);
    const tag = (await world.board()).etag;
    world.setTime((shown?.freshUntil ?? 0) + 1);
    expect((await world.board()).find("usd_sell")).toMatchObject({
      price: "1064500",
      dataAge: "stale",
      source: "cache",
    });
    expect((await world.board()).etag).not.toBe(tag);
  });

  it("is served again after Redis was emptied", async () => {
    await world.redis.flushall();
    expect((await world.board()).find("usd_sell")?.price).toBe("1064500");
    await world.publish();
    expect(await world.redis.hget("v1:{prices}:board", "revision")).not.toBeNull();
  });

  it("never replaces a later board with one that was read before", async () => {
    const revision = Number(await world.redis.hget("v1:{prices}:board", "revision"));
    await world.redis.hset("v1:{prices}:board", { revision: revision + 5, body: '{"items":[]}' });
    await world.publish();
    expect(await world.redis.hget("v1:{prices}:board", "body")).toBe('{"items":[]}');
  });
});
