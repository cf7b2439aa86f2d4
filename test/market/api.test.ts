import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { auditMarket } from "../../origin/market/audit/audit-market.ts";
import { makeDemoHistory } from "../../origin/market/demo-history.ts";
import { DEMO_UNTIL_KEY } from "../../origin/market/keys.ts";
import { openLedgerReader } from "../../origin/record/ledger/market-trades.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "../venue/trader.ts";

const MINUTE_MS = 60_000;

describe("market data over HTTP", () => {
  let venue: TradingVenue;
  let ana: Trader;
  let ben: Trader;
  const get = async (path: string) => (await venue.call("GET", path)).body;
  const candles = async (query = "") =>
    (await get(`/market/btcidr/candles${query}`))["candles"] as readonly Record<string, unknown>[];

  beforeAll(async () => {
    venue = await startTradingVenue();
    ana = await venue.trader("ana", { btc: "10", idr: "10000000000" });
    ben = await venue.trader("ben", { btc: "10", idr: "10000000000" });
    for (const [price, quantity] of [
      ["600000000", "0.1"],
      ["610000000", "0.2"],
      ["590000000", "0.1"],
    ]) {
      await ana.place({ side: "sell", price, quantity });
      await ben.place({ side: "buy", price, quantity });
    }
    await ana.place({ side: "sell", price: "620000000", quantity: "0.5" });
    await ben.place({ side: "buy", price: "580000000", quantity: "0.3" });
    await vi.waitFor(async () => expect((await get("/market/btcidr/summary"))["tradeCount"]).toBe(3), 10_000);
  }, 60_000);

  it("shows a pair's candles in the frame asked for, with exact sums", async () => {
    const [bar, ...more] = await candles("?tf=1d");
    expect(more).toEqual([]);
    expect(bar).toMatchObject({
      ...{ open: "600000000", high: "610000000", low: "590000000", close: "590000000", trades: 3, isClosed: false },
      ...{ volume: "0.4", quoteVolume: "241000000", takerBuyVolume: "0.4", takerBuyQuoteVolume: "241000000" },
      ...{ firstTrade: 1, lastTrade: 3 },
    });
    const minutes = await candles();
    expect(minutes.reduce((sum, { trades }) => sum + Number(trades), 0)).toBe(3);
  });

  it("repeats the previous close where nothing was traded, when asked", async () => {
    const now = Date.now();
    const filled = await candles(`?fill=prev&from=${now - 5 * MINUTE_MS}&to=${now + MINUTE_MS}`);
    const gaps = filled.slice(1).map(({ openTime }, place) => Number(openTime) - Number(filled[place]?.["openTime"]));
    expect(gaps.every((gap) => gap === MINUTE_MS)).toBe(true);
    expect(filled.at(-1)?.["close"]).toBe("590000000");
  });

  it("shows days of a time zone", async () => {
    const [bar] = await candles("?tf=1d&tz=Asia/Kathmandu");
    expect(bar).toMatchObject({ volume: "0.4", trades: 3 });
    expect((Number(bar?.["openTime"]) + 5.75 * 60 * MINUTE_MS) % (24 * 60 * MINUTE_MS)).toBe(0);
  });

  it("summarises 24 hours of one pair, and of all pairs, with an ETag and a short life in caches", async () => {
    await vi.waitFor(
      async () =>
        expect(await get("/market/btcidr/summary")).toMatchObject({
          ...{
            pair: "btcidr",
            lastPrice: "590000000",
            open24h: "600000000",
            high24h: "610000000",
            low24h: "590000000",
          },
          ...{ volume24h: "0.4", quoteVolume24h: "241000000", change24h: "-1.666", tradeCount: 3 },
          ...{ bestBid: "580000000", bestAsk: "620000000", bidVolume: "0.3", askVolume: "0.5" },
        }),
      10_000,
    );
    // A worker that is late on a busy machine lets it expire: then it is 503 for a moment.
    const all = await vi.waitFor(async () => {
      const answer = await venue.call("GET", "/market/summary");
      expect(answer.status).toBe(200);
      return answer;
    }, 10_000);
    expect((all.body["pairs"] as readonly { pair: string }[]).length).toBe(4);
    expect(all.headers.get("cache-control")).toBe("public, max-age=1");
    const headers = { "if-none-match": all.headers.get("etag") ?? "" };
    const again = await venue.call("GET", "/market/summary", { headers });
    expect([200, 304]).toContain(again.status);
    expect((await get("/market/gaps"))["pairs"]).toEqual([{ pair: "btcidr", gapPercent: "6.6667" }]);
    expect(await get("/market/pump")).toEqual({ pairs: [] });
  });

  it("serves TradingView's charting library by its rules", async () => {
    const config = await get("/udf/config");
    expect(config).toMatchObject({ supports_search: true, supports_group_request: false, supports_time: true });
    expect(config["supported_resolutions"]).toEqual(expect.arrayContaining(["1", "60", "1D", "1W", "1M"]));
    const time = await venue.call("GET", "/udf/time");
    expect(time.text).toMatch(/^\d{10}$/);
    expect(await get("/udf/symbols?symbol=BTCIDR")).toMatchObject({
      ...{ name: "BTCIDR", session: "24x7", timezone: "Etc/UTC", minmov: 1_000, pricescale: 1, has_intraday: true },
    });
    expect(await get("/udf/symbols?symbol=NOPE")).toEqual({ s: "error", errmsg: "unknown_symbol" });
    const found = (await venue.call("GET", "/udf/search?query=btc&limit=1")).text;
    expect(JSON.parse(found)).toHaveLength(1);
    const to = Math.floor(Date.now() / 1_000) + 60;
    const history = (query: string) => get(`/udf/history?symbol=BTCIDR&${query}`);
    const day = await history(`resolution=1D&from=${to - 86_400}&to=${to}&countback=2`);
    expect(day).toMatchObject({ s: "ok", o: [600_000_000], h: [610_000_000], c: [590_000_000], v: [0.4] });
    // The end is not included, and an empty range says where older bars are.
    const [start = 0] = day["t"] as readonly number[];
    expect(await history(`resolution=1D&from=0&to=${start}&countback=5`)).toEqual({ s: "no_data" });
    expect(await history(`resolution=1&from=${to + 600}&to=${to + 1_200}`)).toMatchObject({
      s: "no_data",
      nextTime: expect.any(Number),
    });
    expect(await history(`resolution=7&from=0&to=${to}`)).toEqual({ s: "error", errmsg: "unknown_resolution" });
  });

  it("draws a chart once, and finds it again by its content", async () => {
    const first = await venue.call("GET", "/market/btcidr/chart.png?tf=1s&lang=fa&theme=dark&ma=2");
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(first.text.slice(1, 4)).toBe("PNG");
    const keys = await venue.redis.keys("v1:chart:meta:*");
    expect(keys).toHaveLength(1);
    const meta = await venue.redis.hgetall(keys[0] ?? "");
    expect(meta).toMatchObject({
      pair: "btcidr",
      tf: "1s",
      theme: "dark",
      language: "fa",
      path: expect.stringMatching(/^charts\//),
    });
    const again = await venue.again();
    expect((await again.call("GET", "/market/btcidr/chart.png?tf=1s&lang=fa&theme=dark&ma=2")).status).toBe(200);
    expect(await venue.redis.keys("v1:chart:meta:*")).toEqual(keys);
  });

  it("shows a book to 5,000 levels at a sequence of the journal", async () => {
    const deep = await venue.call("GET", "/market/btcidr/book?depth=5000");
    expect(deep.body).toMatchObject({ bids: [["580000000", "0.3"]], asks: [["620000000", "0.5"]] });
    expect(Number(deep.body["sequence"])).toBeGreaterThan(5);
  });

  it("shows a demo's candles only where the pair has none, marked, and the audit stays clean", async () => {
    const grid = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 };
    const pair = { grid: { ...grid, tickSteps: 100_000n, lotSteps: 1_000n }, price: "600000000" };
    const { redis } = venue;
    const made = await makeDemoHistory({ redis, nowMs: Date.now(), seed: 1 }, [pair]);
    expect(made).toBeGreaterThan(43_200);
    const shown = await vi.waitFor(async () => {
      const all = await candles("?tf=1d&limit=40");
      expect(all.length).toBeGreaterThan(29);
      return all;
    }, 10_000);
    expect(shown.at(-1)).toMatchObject({ trades: 3 });
    expect(shown.at(-1)).not.toHaveProperty("source");
    expect(shown.slice(0, -1).every(({ source }) => source === "demo")).toBe(true);
    const faults: string[] = [];
    const find = (_: string, sentence: string) => void faults.push(sentence);
    await auditMarket({ redis, ledger: openLedgerReader(venue.database), find });
    expect(faults).toEqual([]);
    const plain = await venue.call("GET", "/market/btcidr/candles?tf=1h&limit=600");
    const headers = { "accept-encoding": "gzip, br" };
    const small = await venue.fetch(
      new Request("http://venue.test/api/v1/market/btcidr/candles?tf=1h&limit=600", {
        headers: { ...headers, [PASS_HEADER]: await venue.pass() },
      }),
    );
    expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual(["gzip", "accept-encoding"]);
    const text = gunzipSync(Buffer.from(await small.arrayBuffer())).toString();
    expect(JSON.parse(text)["candles"]).toHaveLength((plain.body["candles"] as readonly unknown[]).length);
    await redis.del(DEMO_UNTIL_KEY);
  });

  it("tells each user the own result of a pair", async () => {
    const positionsOf = async (trader: Trader) => (await trader.call("GET", "/positions")).body["positions"];
    expect(await positionsOf(ana)).toEqual([expect.objectContaining({ pair: "btcidr", quantity: "-0.4", trades: 3 })]);
    const [own] = (await positionsOf(ben)) as readonly Record<string, string>[];
    expect(own).toMatchObject({ pair: "btcidr", cost: "241000000", realised: "0", markPrice: "590000000" });
    expect(Number(own?.["quantity"]) + Number(own?.["baseFees"])).toBeCloseTo(0.4, 10);
    const other = await venue.trader("cleo");
    expect(await positionsOf(other)).toEqual([]);
  });

  it.each([
    ["/market/btcidr/candles?tf=7m", 422, "frame_unknown"],
    ["/market/btcidr/candles?from=2000&to=1000", 422, "range_reversed"],
    ["/market/btcidr/candles?tf=1s&from=0&to=1700000000000", 422, "range_too_long"],
    ["/market/btcidr/candles?tf=1d&tz=Mars/Olympus", 422, "time_zone_unknown"],
    ["/market/nope/candles", 404, "pair_not_found"],
    ["/market/nope/summary", 404, "pair_not_found"],
    ["/market/btcidr/candles?limit=1001", 422, "validation_failed"],
  ])("refuses %s with a stable code", async (path, status, code) => {
    const answer = await venue.call("GET", path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
