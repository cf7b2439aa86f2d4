import { afterAll, describe, expect, it } from "vitest";
import { FAILURES, type FakeProvider, SHAPES, startFakeProvider } from "../../kit/price-provider.ts";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { startPricesWorld } from "./prices-world.ts";

const world = await startPricesWorld({ startAt: "2025-11-20T13:30:00Z" });
await world.disable("demo");
const fakes: FakeProvider[] = [];
afterAll(() => Promise.all(fakes.map(({ stop }) => stop())));

async function fake(answer: Parameters<typeof startFakeProvider>[0]): Promise<FakeProvider> {
  const started = await startFakeProvider(answer);
  fakes.push(started);
  world.allowHost(started.host);
  return started;
}

const minutes = (count: number) => world.setTime(world.clock.nowMs() + count * 60_000);
const reportOf = async (provider: string) => (await world.providers.find(provider))?.report;

describe("PersianAPI", () => {
  it("gives prices of three envelopes: texts, Persian digits, numbers beyond a float, percentages, local times", async () => {
    const provider = await fake(SHAPES.persianApi());
    await world.use("persianapi", ["usd_sell", "btc"]);
    await world.items.change(COMMAND_LINE, "eur_sell", { provider: "persianapi", metadata: { originalKey: "137203" } });
    await world.items.change(COMMAND_LINE, "btc", { decimals: 8 });
    await world.point("persianapi", provider.url);
    expect(await world.worker.look()).toEqual(["persianapi"]);
    expect(await world.priceOf("usd_sell")).toMatchObject({
      ...{ price: "1135200", data_age: "fresh", source: "api", change: "1587", percent: "0.14", stated: "0.14" },
      ...{ high: "1141500", low: "1132800" },
      metadata: { apiTimestamp: Date.parse("2025-11-20T16:59:58+03:30"), originalKey: "137202", category: "ارز آزاد" },
    });
    expect(await world.priceOf("eur_sell")).toMatchObject({
      price: "1314500",
      high: "1314500",
      low: "1314500",
      stated: "-0.31",
    });
    expect((await world.priceOf("btc"))?.price).toBe("91850.12345679");
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-of-tests",
      "Bearer token-of-tests",
    ]);
    await world.disable("persianapi");
  });
});

describe("BrsApi", () => {
  it("reads the unit of each row, numbers and texts, and refuses a unit that it does not know", async () => {
    const provider = await fake(SHAPES.brsApi());
    await world.use("brsapi", ["gold_18k", "jpy_sell", "gbp_sell", "eth"]);
    await world.items.change(COMMAND_LINE, "eth", { metadata: { originalKey: "BTC" } });
    await world.items.change(COMMAND_LINE, "gbp_sell", { metadata: { originalKey: "EUR" } });
    await world.point("brsapi", provider.url);
    await world.worker.look();
    expect((await world.priceOf("gold_18k"))?.price).toBe("70818000");
    expect((await world.priceOf("jpy_sell"))?.price).toBe("588000");
    expect((await world.priceOf("eth"))?.price).toBe("118250.57");
    expect(await reportOf("brsapi")).toMatchObject({
      accepted: 3,
      refused: [{ itemCode: "gbp_sell", reason: "unit_unknown" }],
    });
    expect(provider.requests[0]?.url).toContain("?key=key-of-tests");
    await world.disable("brsapi");
  });
});

describe("Navasan", () => {
  it("takes what it knows from a map of many shapes, multiplied where an item says so", async () => {
    const provider = await fake(SHAPES.navasan());
    await world.use("navasan", ["usd_buy", "coin_emami", "gold_24k", "coin_half", "eur_buy", "coin_gram"]);
    await world.items.change(COMMAND_LINE, "usd_buy", { metadata: { originalKey: "usd_sell" } });
    await world.items.change(COMMAND_LINE, "gold_24k", { metadata: { originalKey: "18ayar" } });
    await world.items.change(COMMAND_LINE, "eur_buy", { metadata: { originalKey: "eur" } });
    await world.items.change(COMMAND_LINE, "coin_emami", { metadata: { multiplier: "1.5" } });
    await world.point("navasan", provider.url);
    await world.worker.look();
    expect((await world.priceOf("usd_buy"))?.price).toBe("1135200");
    expect((await world.priceOf("coin_emami"))?.price).toBe("876750000");
    const { refused } = (await reportOf("navasan")) ?? { refused: [] };
    expect(Object.fromEntries(refused.map(({ itemCode, reason }) => [itemCode, reason]))).toEqual({
      gold_24k: "empty",
      coin_half: "not_a_number",
      eur_buy: "zero",
      coin_gram: "missing",
    });
  });

  it("is asked at due times that leave its daily limit for the whole day", async () => {
    const row = await world.providers.find("navasan");
    expect(((row?.dueAt ?? 0) - world.clock.nowMs()) / 3_600_000).toBeGreaterThanOrEqual(6);
    await world.disable("navasan");
  });
});

describe("TGJU", () => {
  it("reads thousands separators, a sign in words and dollars among rials; refuses what is no price", async () => {
    const provider = await fake(SHAPES.tgju());
    await world.use("tgju", ["usd_sell", "eur_sell", "gbp_buy", "aed_sell", "gold_ounce"]);
    await world.items.change(COMMAND_LINE, "eur_sell", { metadata: { originalKey: null } });
    await world.items.change(COMMAND_LINE, "gbp_buy", { metadata: { originalKey: "price_gbp" } });
    await world.point("tgju", provider.url);
    await world.worker.look();
    expect(await world.priceOf("usd_sell")).toMatchObject({ price: "1064500", stated: "-0.59", data_age: "fresh" });
    expect((await world.priceOf("gold_ounce"))?.price).toBe("4078.4");
    // The last price stays, marked.
    expect(await world.priceOf("eur_sell")).toMatchObject({ price: "1314500", data_age: "stale", source: "cache" });
    const { refused } = (await reportOf("tgju")) ?? { refused: [] };
    expect(refused.map(({ itemCode, reason }) => `${itemCode} ${reason}`).toSorted()).toEqual([
      "aed_sell not_a_number",
      "eur_sell zero",
      "gbp_buy empty",
    ]);
  });

  it("keeps the last price when the new one jumps beyond the item's limit, until an admin accepts it", async () => {
    const provider = await fake((_request, response) =>
      response.end(JSON.stringify({ current: { price_dollar_rl: { p: "10,645,000" } } })),
    );
    await world.point("tgju", provider.url);
    await world.worker.look();
    expect(await world.priceOf("usd_sell")).toMatchObject({
      price: "1064500",
      data_age: "stale",
      metadata: { refusal: "jump" },
    });
    expect((await reportOf("tgju"))?.refused).toContainEqual({
      itemCode: "usd_sell",
      reason: "jump",
      text: "10,645,000",
    });
    await world.providers.refresh(COMMAND_LINE, { provider: "tgju", acceptsJumps: true });
    await world.worker.look();
    expect(await world.priceOf("usd_sell")).toMatchObject({ price: "10645000", data_age: "fresh" });
    // Only once.
    expect((await world.providers.find("tgju"))?.acceptsJumps).toBe(false);
  });

  it.each(Object.entries(FAILURES))(
    "that fails (%s) leaves stale prices, never an error, and is asked later and later",
    async (_how, failure) => {
      const provider = await fake(SHAPES.tgju());
      await world.items.change(COMMAND_LINE, "usd_sell", { jumpPercentMax: 1_000 });
      await world.point("tgju", provider.url);
      minutes(10);
      await world.worker.look();
      expect((await world.priceOf("usd_sell"))?.data_age).toBe("fresh");
      provider.answerWith(failure);
      const waits: number[] = [];
      for (let attempt = 0; attempt < 3; attempt++) {
        world.setTime((await world.providers.find("tgju"))?.dueAt ?? 0);
        expect(await world.worker.look()).toEqual(["tgju"]);
        waits.push((((await world.providers.find("tgju"))?.dueAt ?? 0) - world.clock.nowMs()) / 60_000);
      }
      expect(waits).toEqual(failure === FAILURES.tooMany ? [10, 10, 10] : [1, 2, 4]);
      expect(await world.priceOf("usd_sell")).toMatchObject({ price: "1064500", data_age: "stale" });
      const row = await world.providers.find("tgju");
      expect(row).toMatchObject({ failures: 3 });
      expect(row?.report.fault).toMatch(/^(The|A) .*\.$/);
      provider.answerWith(SHAPES.tgju());
      world.setTime(row?.dueAt ?? 0);
      await world.worker.look();
      expect((await world.priceOf("usd_sell"))?.data_age).toBe("fresh");
      expect((await world.providers.find("tgju"))?.failures).toBe(0);
    },
  );
});

describe("Nobitex", () => {
  it("gives markets in rial with their volume", async () => {
    await world.disable("tgju");
    const provider = await fake(SHAPES.nobitex());
    await world.use("nobitex", ["btc_rial", "usdt_rial"]);
    await world.point("nobitex", provider.url);
    await world.worker.look();
    expect(await world.priceOf("btc_rial")).toMatchObject({
      price: "104280000000",
      high: "105000000000",
      low: "103000000000",
    });
    const shown = (await world.board()).find("btc_rial");
    expect(shown).toMatchObject({ volume24h: "12.34567", changePercent: "0.37", isDemo: false, provider: "nobitex" });
  });
});

describe("our own market", () => {
  it("is a provider: the last price of a pair, in its quote currency", async () => {
    await world.redis.set("v1:last_price:btcidr", "1500000000");
    await world.redis.hset("config:pair:btcidr", { quote_currency: "idr" });
    await world.addItem({
      itemCode: "btc_idr",
      provider: "venue",
      unit: "idr",
      metadata: { originalKey: "btcidr" } as never,
    });
    const row = await world.providers.find("venue");
    if (row !== undefined) await world.providers.put(COMMAND_LINE, { ...row, enabled: true, secrets: {} });
    await world.worker.look();
    expect(await world.priceOf("btc_idr")).toMatchObject({ price: "1500000000", source: "api" });
  });

  it("is fed by outside markets, whose last price is no older than a minute", async () => {
    await world.use("feed", ["sol", "xrp"]);
    const at = world.clock.nowMs();
    await world.redis.set(
      "market:summary:binance:solusdt",
      JSON.stringify({ lastPrice: "137.61", high24h: "140", low24h: "130", at }),
    );
    await world.redis.set("market:summary:binance:xrpusdt", JSON.stringify({ lastPrice: "2.1", at: at - 61_000 }));
    const row = await world.providers.find("feed");
    if (row !== undefined) await world.providers.put(COMMAND_LINE, { ...row, enabled: true, secrets: {} });
    await world.worker.look();
    expect(await world.priceOf("sol")).toMatchObject({ price: "137.61", high: "140", low: "130" });
    expect(await world.priceOf("xrp")).toBeUndefined();
  });
});

describe("a provider's URL", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://localhost:1/",
    "http://169.254.169.254/latest/",
    "http://[::1]:1/",
    "http://2130706433/",
  ])("never leads to a private address: %s", async (url) => {
    const { send } = await sender();
    expect(await send({ url, headers: {} })).toEqual({ ok: false, reason: { reason: "private_address" } });
  });

  it("and its secrets are in no log and no report", () => {
    expect(world.logged.join("\n")).not.toMatch(/key-of-tests|token-of-tests|127\.0\.0\.1/);
  });
});

async function sender() {
  const { createSendRequest } = await import("../../origin/prices/providers/request-provider.ts");
  return { send: createSendRequest({ privateHosts: [] }) };
}
