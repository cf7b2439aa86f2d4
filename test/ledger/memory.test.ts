import { beforeAll, expect, it } from "vitest";
import { memoryIn } from "../../origin/commit/watch-memory.ts";
import { orderKey } from "../../origin/state/keys.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "../venue/trader.ts";

const TIMEOUT = { timeout: 20_000 };
/** Large compared with the temporary memory of connections and commands. */
const BALLAST_KEYS = 64;
const BALLAST = Buffer.alloc(1024 * 1024);

let venue: TradingVenue;
let anna: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "10000000000", btc: "10" });
  for (let key = 0; key < BALLAST_KEYS; key++) await venue.redis.set(`ballast:${key}`, BALLAST);
});

/**
 * Sets the memory limit of the venue's Redis so that this share is used; repeated with each attempt, because some of
 * the memory is temporary.
 */
async function useShare(share: number): Promise<void> {
  const [, used, uncounted] =
    /^used_memory:(\d+)[\s\S]*^mem_not_counted_for_evict:(\d+)/m.exec(await venue.redis.info("memory")) ?? [];
  const bytes = Number(used) - Number(uncounted);
  await venue.redis.config("SET", "maxmemory", String(Math.round(bytes / share)));
}

const sell = () => anna.place({ side: "sell", price: "1000000000", quantity: "0.001" });
const codeOf = async () => (await sell()).body.code ?? "placed";
const hasLogged = (text: string) => venue.logged.some((line) => line.includes(text));
const memoryPart = async () => {
  const { parts } = (await (await venue.fetch(new Request("http://venue.test/health"))).json()) as {
    parts: { name: string }[];
  };
  return parts.find(({ name }) => name === "venueMemory");
};

it("warns at 80 % and deletes ended orders as soon as PostgreSQL has them", async () => {
  const placed = await sell();
  const id = Number(placed.body["id"]);
  expect((await anna.call("DELETE", `/orders/${id}`)).status).toBe(200);
  const isTold = async () => {
    await useShare(0.85);
    return hasLogged("has used most of its memory");
  };
  await expect.poll(isTold, TIMEOUT).toBe(true);
  expect(await codeOf()).toBe("placed");
  await expect.poll(() => venue.redis.exists(orderKey(id)), TIMEOUT).toBe(0);
  expect((await anna.call("GET", `/orders/${id}`)).body).toMatchObject({ status: "cancelled" });
});

it("refuses new orders at 90 %, still cancels and reads, and recovers by itself", async () => {
  const open = await sell();
  const codeWhenFull = async () => {
    await useShare(0.95);
    return codeOf();
  };
  await expect.poll(codeWhenFull, TIMEOUT).toBe("store_full");
  const refused = await sell();
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
  const json = { userId: anna.id, currency: "idr", amount: "1", reference: "full-1" };
  expect((await venue.call("POST", "/admin/wallet/deposits", { token: venue.adminToken, json })).body.code).toBe(
    "store_full",
  );
  expect((await anna.call("DELETE", `/orders/${open.body["id"]}`)).status).toBe(200);
  expect((await anna.call("GET", "/orders?status=open")).status).toBe(200);
  expect((await anna.call("GET", "/wallet")).status).toBe(200);
  expect(await memoryPart()).toMatchObject({
    state: "down",
    detail: expect.stringMatching(/^\d+ MiB of \d+ MiB used$/),
  });
  expect(hasLogged("nearly full")).toBe(true);
  const { text } = await venue.call("GET", "/metrics", { token: venue.adminToken });
  const metric = (name: string) => Number(new RegExp(`^sluice_venue_${name} (\\d+)$`, "m").exec(text)?.[1]);
  expect(metric("redis_memory_bytes") / metric("redis_memory_limit_bytes")).toBeGreaterThan(0.9);

  await useShare(0.3);
  await expect.poll(codeOf, TIMEOUT).toBe("placed");
  expect(await memoryPart()).toMatchObject({ state: "ok" });
});

it("uses the machine's memory if Redis has no limit, or the container's if that is less", () => {
  const info =
    "used_memory:500\r\nused_memory_rss:700\r\ntotal_system_memory:10000\r\nmaxmemory:0\r\nmem_not_counted_for_evict:100\r\n";
  expect(memoryIn(info, 0)).toEqual({ bytes: 700, limitBytes: 10_000 });
  expect(memoryIn(info, 4_000)).toEqual({ bytes: 700, limitBytes: 4_000 });
  expect(memoryIn(info.replace("maxmemory:0", "maxmemory:1000"), 900)).toEqual({ bytes: 400, limitBytes: 1_000 });
});
