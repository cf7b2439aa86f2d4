import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { SHAPES, startFakeProvider } from "../../kit/price-provider.ts";
import { createSeal, sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import { openPriceWorker } from "../../origin/prices/open-prices.ts";
import { systemClock } from "../../shared/clock.ts";
import { systemRandom } from "../../shared/ids.ts";
import { createLogger } from "../../stack/program/log.ts";
import { type Answer, SEAL_KEY, startVenue } from "../venue/venue.ts";

const provider = await startFakeProvider(SHAPES.tgju());
const first = await startVenue();
const venue = await first.again({ SLUICE_PRICE_HOSTS: [provider.host] });
const seal = createSeal(sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": SEAL_KEY } })), systemRandom);
const log = createLogger("prices-test", { write: () => {} });
let token: string;
let worker: ReturnType<typeof openPriceWorker>;

beforeAll(async () => {
  worker = openPriceWorker({
    ...{ database: venue.database, redis: venue.redis, seal, clock: systemClock, log },
    ...{ privateHosts: [provider.host], withDemo: true },
  });
  token = String((await venue.signInAdmin("prices_admin")).body.accessToken);
  await vi.waitFor(async () => expect(pricedItems(await venue.call("GET", "/prices"))).toBeGreaterThanOrEqual(40), {
    timeout: 40_000,
  });
});
afterAll(async () => {
  await worker.stop();
  await provider.stop();
});

type Item = Readonly<Record<string, unknown>> & { readonly itemCode: string; readonly price: string | null };
const itemsOf = ({ body }: Answer) => (body["items"] as readonly Item[] | undefined) ?? [];
const pricedItems = (answer: Answer) => itemsOf(answer).filter(({ price }) => price !== null).length;
const admin = (method: string, path: string, json?: unknown) =>
  venue.call(method, path, { token, ...(json === undefined ? {} : { json }) });

describe("GET /prices", () => {
  it("shows the first items in three languages with marked demo prices, cacheable and tagged", async () => {
    const answer = await venue.call("GET", "/prices");
    const items = itemsOf(answer);
    expect(items.length).toBeGreaterThanOrEqual(40);
    expect(new Set(items.map(({ itemType }) => itemType))).toEqual(new Set(["currency", "gold", "coin", "crypto"]));
    expect(items[0]).toMatchObject({
      ...{
        itemCode: "usd_sell",
        itemType: "currency",
        dataAge: "fresh",
        source: "fallback",
        provider: "demo",
        isDemo: true,
      },
      displayName: { fa: "دلار آمریکا (فروش)", en: "US Dollar (Sell)", ar: "الدولار الأمريكي (بيع)" },
    });
    for (const { price, high24h, low24h, lastUpdated } of items) {
      expect(price).toMatch(/^\d+(\.\d+)?$/);
      expect([typeof high24h, typeof low24h, typeof lastUpdated]).toEqual(["string", "string", "number"]);
    }
    expect(answer.headers.get("cache-control")).toBe("public, max-age=5");
    const etag = answer.headers.get("etag") ?? "";
    const again = await venue.call("GET", "/prices", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(itemsOf(await venue.call("GET", "/prices?type=coin")).every(({ itemType }) => itemType === "coin")).toBe(
      true,
    );
  });

  it("has a past to compare with, by range and by a day in either calendar", async () => {
    await expect
      .poll(
        async () => ((await venue.call("GET", "/prices/usdt_rial/history?range=1y")).body["bars"] as unknown[]).length,
      )
      .toBeGreaterThan(300);
    const one = (await venue.call("GET", "/prices/usd_sell")).body;
    expect(one["comparisons"]).toMatchObject({ yesterday: {}, lastWeek: {}, lastMonth: {} });
    for (const [range, resolution] of [
      ["1d", "10m"],
      ["1w", "1h"],
      ["1m", "1h"],
      ["3m", "1d"],
      ["5y", "1d"],
      ["all", "1d"],
    ]) {
      const { body } = await venue.call("GET", `/prices/usd_sell/history?range=${range}`);
      expect([range, body["resolution"]]).toEqual([range, resolution]);
      const times = (body["bars"] as readonly { openTime: number }[]).map(({ openTime }) => openTime);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.length).toBeGreaterThan(5);
    }
    const bars = (await venue.call("GET", "/prices/usd_sell/history?range=3m")).body["bars"] as readonly Record<
      string,
      string
    >[];
    const day = bars[20];
    for (const date of [
      day?.["date"],
      day?.["dateJalali"]?.replaceAll("/", "-"),
      encodeURIComponent(day?.["dateJalali"] ?? ""),
    ]) {
      const { body } = await venue.call("GET", `/prices/usd_sell/history?date=${date}`);
      expect(body["day"]).toEqual(day);
    }
    expect((await venue.call("GET", "/prices/usd_sell/history?date=1980-01-01")).body["day"]).toBeNull();
    const bad = await venue.call("GET", "/prices/usd_sell/history?date=1404-12-30");
    expect([bad.status, bad.body.code]).toEqual([422, "validation_failed"]);
    expect((await venue.call("GET", "/prices/nothing")).body.code).toBe("item_not_found");
  });
});

describe("the picture of a price", () => {
  it("is a PNG in three languages", async () => {
    const server = await venue.listen();
    for (const lang of ["fa", "en", "ar"]) {
      const url = `http://127.0.0.1:${server.port}/api/v1/prices/usd_sell/chart.png?lang=${lang}`;
      const response = await fetch(url, { headers: { "x-sluice-pass": await venue.pass() } });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
        "PNG",
        1200,
        630,
      ]);
      if (process.env["SLUICE_PICTURES"] !== undefined)
        await writeFile(`${process.env["SLUICE_PICTURES"]}/chart-${lang}.png`, bytes);
    }
  });
});

describe("fresh requests", () => {
  it("are 20 in a window; beyond them the answer is stale data with the time to wait, never an error", async () => {
    const address = "198.51.100.7";
    const answers: Answer[] = [];
    for (let count = 0; count < 25; count++)
      answers.push(await venue.call("GET", "/prices/usd_sell?fresh=true", { address }));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 200));
    expect(answers.filter(({ body }) => body["dataAge"] === "fresh")).toHaveLength(20);
    expect(answers[0]?.body["quota"]).toMatchObject({ limit: 20, used: 1, remaining: 19, retryAfterSeconds: 0 });
    expect(answers[0]?.headers.get("x-quota-remaining")).toBe("19");
    expect(answers[0]?.headers.get("cache-control")).toBe("no-store");
    const late = answers.at(-1);
    expect(late?.body).toMatchObject({ dataAge: "stale", source: "cache", quota: { remaining: 0 } });
    expect(Number(late?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await venue.call("GET", "/prices/quota", { address })).body).toMatchObject({
      limit: 20,
      used: 20,
      remaining: 0,
    });
    expect((await venue.call("GET", "/prices/quota", { address: "198.51.100.8" })).body).toMatchObject({ used: 0 });
    // Plain reads take nothing.
    expect((await venue.call("GET", "/prices/usd_sell", { address })).body["dataAge"]).toBe("fresh");
    const usage = (await admin("GET", "/admin/price-usage")).body;
    expect(JSON.stringify(usage)).not.toContain(address);
    expect(usage["busiest"]).toContainEqual({ identity: expect.stringMatching(/^address:/), used: 20 });
  });

  it("count by account for a signed-in user, wherever the user is", async () => {
    const user = String((await venue.register("fresh_user")).body.accessToken);
    for (const address of ["198.51.100.20", "198.51.100.21"])
      await venue.call("GET", "/prices/btc?fresh=true", { token: user, address });
    expect((await venue.call("GET", "/prices/quota", { token: user })).body).toMatchObject({ used: 2 });
  });
});

describe("admins", () => {
  it("create, change, order, disable and delete items; the board shows it within two seconds", async () => {
    const item = {
      itemCode: "test_item",
      itemType: "gold",
      displayName: { fa: "آزمایش", en: "Test", ar: "اختبار" },
      provider: "demo",
    };
    expect((await admin("POST", "/admin/items", item)).body).toMatchObject({
      ...item,
      unit: "rial",
      metadata: { multiplier: "1" },
    });
    expect((await admin("POST", "/admin/items", item)).body.code).toBe("item_exists");
    const codes = async () => itemsOf(await venue.call("GET", "/prices")).map(({ itemCode }) => itemCode);
    await expect.poll(codes, { timeout: 2_000 }).toContain("test_item");
    await admin("PUT", "/admin/items/order", { itemCodes: ["test_item", "btc"] });
    await expect
      .poll(async () => (await codes()).slice(0, 3), { timeout: 2_000 })
      .toEqual(["test_item", "btc", "usd_sell"]);
    expect(
      itemsOf(await admin("GET", `/admin/items?search=${encodeURIComponent("آزمای")}`)).map(({ itemCode }) => itemCode),
    ).toEqual(["test_item"]);
    expect(
      (await admin("PATCH", "/admin/items/test_item", { enabled: false, displayName: { en: "Renamed" } })).body,
    ).toMatchObject({
      enabled: false,
      displayName: { fa: "آزمایش", en: "Renamed", ar: "اختبار" },
    });
    await expect.poll(codes, { timeout: 2_000 }).not.toContain("test_item");
    expect((await admin("DELETE", "/admin/items/test_item")).status).toBe(204);
    expect((await admin("DELETE", "/admin/items/test_item")).body.code).toBe("item_not_found");
    expect((await admin("PATCH", "/admin/items/btc", { provider: "nothing" })).body.code).toBe("provider_not_found");
    const audit = (await admin("GET", "/admin/audit?target=test_item")).body["entries"] as readonly {
      action: string;
    }[];
    expect(audit.map(({ action }) => action)).toEqual(["item.deleted", "item.changed", "item.created"]);
  });

  it.each([
    [{ itemCode: "Bad Code" }, "itemCode"],
    [{ itemCode: "quota" }, "itemCode"],
    [{ itemType: "stock" }, "itemType"],
    [{ displayName: { fa: "x", en: "x" } }, "displayName.ar"],
    [{ metadata: { multiplier: "0" } }, "metadata.multiplier"],
    [{ metadata: { multiplier: "1e3" } }, "metadata.multiplier"],
    [{ decimals: 9 }, "decimals"],
    [{ unit: "Rial!" }, "unit"],
    [{ price: "1" }, "price"],
  ])("get a named fault for %j, and nothing changes", async (change, field) => {
    const item = {
      itemCode: "bad_item",
      itemType: "gold",
      displayName: { fa: "x", en: "x", ar: "x" },
      provider: "demo",
      ...change,
    };
    const answer = await admin("POST", "/admin/items", item);
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    expect(JSON.stringify(answer.body["errors"])).toContain(field);
  });

  it("describe a provider, try it dry, and use it; its secrets are never shown", async () => {
    const description = {
      kind: "http",
      requests: [
        {
          url: `${provider.url}/ajax.json?key={secret:key}`,
          headers: { "x-token": "{secret:token}" },
          lists: [{ path: "current", shape: "map" }],
        },
      ],
      fields: {
        price: "p",
        high: "h",
        low: "l",
        changePercent: "dp",
        direction: { path: "dt", down: ["low"] },
        time: "ts",
      },
      unit: "rial",
      time: "tehranLocal",
      minSeconds: 0,
      keys: { usd_sell: "price_dollar_rl", eur_sell: "price_eur", gold_18k: "geram18" },
    };
    const wanted = { name: "Own", enabled: false, description, secrets: { key: "s3cret-key", token: "s3cret-token" } };
    for (const itemCode of ["usd_sell", "gold_18k"])
      await admin("PATCH", `/admin/items/${itemCode}`, { jumpPercentMax: 100_000 });
    const put = await admin("PUT", "/admin/price-providers/own", wanted);
    expect(put.body).toMatchObject({ provider: "own", secrets: ["key", "token"], missingSecrets: [] });
    const dry = await admin("POST", "/admin/price-providers/own/dry-run", {});
    expect(dry.body).toMatchObject({ fault: null, quotes: 6 });
    expect(dry.body["items"]).toEqual([
      expect.objectContaining({
        itemCode: "usd_sell",
        key: "price_dollar_rl",
        text: "1,064,500",
        price: "1064500",
        refusal: null,
      }),
      expect.objectContaining({ itemCode: "eur_sell", text: "0", price: null, refusal: "zero" }),
      expect.objectContaining({ itemCode: "gold_18k", price: "104250000" }),
    ]);
    expect(provider.requests.at(-1)).toMatchObject({
      url: "/ajax.json?key=s3cret-key",
      headers: { "x-token": "s3cret-token" },
    });
    // Nothing was written.
    expect((await venue.call("GET", "/prices/usd_sell")).body["provider"]).toBe("demo");

    await admin("PATCH", "/admin/items/usd_sell", { provider: "own", jumpPercentMax: 100_000 });
    await admin("PUT", "/admin/price-providers/own", { ...wanted, enabled: true, secrets: {} });
    await expect.poll(async () => (await venue.call("GET", "/prices/usd_sell")).body["price"]).toBe("1064500");
    expect((await venue.call("GET", "/prices/usd_sell")).body).toMatchObject({
      provider: "own",
      isDemo: false,
      source: "api",
    });
    expect((await admin("DELETE", "/admin/price-providers/own")).body.code).toBe("provider_in_use");
    const everything = await Promise.all(["/admin/price-providers", "/admin/audit"].map((path) => admin("GET", path)));
    expect(JSON.stringify(everything.map(({ body }) => body))).not.toContain("s3cret");
    const stored = await venue.database.query(
      "SELECT secrets::text AS sealed FROM price_providers WHERE provider = 'own'",
      [],
    );
    expect(JSON.stringify(stored)).toMatch(/v1\./);
    expect(JSON.stringify(stored)).not.toContain("s3cret");
  });

  it.each([
    ["ftp://example.test/", "url"],
    ["https://user:pass@example.test/", "url"],
    ["https://{secret:key}.example.test/", "url"],
    ["not a url", "url"],
  ])("cannot describe a provider at %s", async (url, field) => {
    const description = {
      kind: "http",
      requests: [{ url, lists: [{ path: "", shape: "map" }] }],
      fields: { price: "p" },
      unit: "rial",
    };
    const answer = await admin("PUT", "/admin/price-providers/bad", { name: "Bad", enabled: true, description });
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    expect(JSON.stringify(answer.body["errors"])).toContain(field);
  });

  it("set the days, hours and holidays of the schedule", async () => {
    const schedule = {
      peakFrom: "09:00",
      peakTo: "13:00",
      peakMinutes: 5,
      normalMinutes: 30,
      weekendMinutes: 240,
      weekendDays: [5],
      holidays: ["2026-03-21"],
    };
    expect((await admin("PUT", "/admin/price-schedule", schedule)).body).toMatchObject(schedule);
    expect((await admin("GET", "/admin/price-schedule")).body).toMatchObject({
      ...schedule,
      regime: expect.any(String),
    });
    const bad = await admin("PUT", "/admin/price-schedule", { ...schedule, peakMinutes: 7 });
    expect([bad.status, bad.body.code]).toEqual([422, "validation_failed"]);
  });
});

describe("when a store is unavailable", () => {
  it("prices are served from memory, stale by their date at the latest, and the quota is no error", async () => {
    const other = await venue.again({ SLUICE_PRICE_HOSTS: [] });
    await expect.poll(async () => pricedItems(await other.call("GET", "/prices"))).toBeGreaterThan(0);
    await venue.redisServer.stop();
    const answer = await other.call("GET", "/prices");
    expect([answer.status, pricedItems(answer) > 0]).toEqual([200, true]);
    const fresh = await other.call("GET", "/prices/btc?fresh=true");
    expect([fresh.status, fresh.body["dataAge"]]).toEqual([200, "stale"]);
    expect((await other.call("GET", "/prices/quota")).status).toBe(200);
  });
});
