import { beforeAll, expect, it } from "vitest";
import { readPrometheusText } from "../../kit/prometheus-text.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";

let venue: TradingVenue;
let anna: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "10000000000", btc: "1" });
});

async function scrape(): Promise<(name: string) => number | undefined> {
  const { text } = await venue.call("GET", "/metrics", { token: venue.adminToken });
  const families = readPrometheusText(text);
  return (name) => families.get(`sluice_venue_${name}`)?.samples[0]?.value;
}

const figure = async (name: string) => (await scrape())(name);

it("shows connections, orders, the lag of readers, the leader's epoch and the disk", async () => {
  await anna.place({ side: "buy", price: "900000000", quantity: "0.001" });
  await expect.poll(() => figure("orders_total")).toBe(1);
  const value = await scrape();
  expect(value("redis_up")).toBe(1);
  expect(value("redis_clients")).toBeGreaterThan(3);
  expect(value("redis_clients_limit")).toBeGreaterThan(1_000);
  expect(value("leader_epoch")).toBe(Number(await venue.redis.hget("v1:{t0}:fence", "epoch")));
  expect(value("journal_entries_total")).toBeGreaterThan(1);
  expect([value("projection_lag_entries"), value("trades_total")]).toEqual([0, 0]);
  expect(value("disk_bytes")).toBeGreaterThan(value("disk_free_bytes") ?? Number.POSITIVE_INFINITY);
  expect(value("audit_age_seconds")).toBeGreaterThanOrEqual(0);
});

it("counts a Redis command of 100 ms or more, and no shorter one", async () => {
  await expect.poll(() => figure("redis_slow_commands_total")).toBe(0);
  const spin = `local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
    local ends = now() + ARGV[1] while now() < ends do end return 1`;
  await venue.redis.eval(spin, 0, 20);
  await venue.redis.eval(spin, 0, 120);
  await expect.poll(() => figure("redis_slow_commands_total")).toBe(1);
  await venue.redis.eval(spin, 0, 120);
  await expect.poll(() => figure("redis_slow_commands_total")).toBe(2);
});

it("shows a change of the leader, and a stopped projection", async () => {
  const before = (await figure("leader_epoch")) ?? 0;
  await venue.redis.hincrby("v1:{t0}:fence", "epoch", 1);
  await expect.poll(() => figure("leader_epoch")).toBeGreaterThan(before + 1);
  await venue.redis.hincrby("v1:{t0}:offset", "sequence", 70);
  await expect.poll(() => figure("projection_lag_entries")).toBeGreaterThanOrEqual(70);
});
