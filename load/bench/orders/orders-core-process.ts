import { setTimeout as sleep } from "node:timers/promises";
import type { Submitted } from "../../../origin/commit/submit/commands.ts";
import type { Database } from "../../../origin/db/database.ts";
import { openMarket } from "../../../origin/open-market.ts";
import { openTrading } from "../../../origin/open-trading.ts";
import { systemClock } from "../../../shared/clock.ts";
import { createLogger } from "../../../stack/program/log.ts";
import { createLatencies } from "../latencies.ts";
import { arriveOpenly } from "./open-arrivals.ts";
import { createOrderMix } from "./orders-mix.ts";

/**
 * All roles of the origin without HTTP, in one process with the load: commands are submitted as the API submits them.
 * Prints one line of JSON. `RATE` orders arrive per second (open model); 0 keeps as many in flight as the venue takes.
 */
const url = process.env["VENUE_REDIS_URL"] ?? "";
const ratePerSecond = Number(process.env["RATE"] ?? 0);
const durationMs = Number(process.env["DURATION_MS"] ?? 3_000);
const warmUpMs = Number(process.env["WARM_UP_MS"] ?? 1_000);
const seed = Number(process.env["SEED"] ?? 1);

/** Enough to fill every batch. */
const IN_FLIGHT_AT_FULL_SPEED = 2_000;
const USERS = 1_000;

const noDatabase: Database = {
  query: async () => [{ is_there: false }],
  transaction: async () => Promise.reject(new Error("no transactions")),
  ping: async () => {},
  close: async () => {},
};
const log = createLogger("orders-core", { write: (line) => void process.stderr.write(line) });
const trading = openTrading({
  settings: { SLUICE_ROLES: ["api", "engine", "worker"], SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: url },
  database: noDatabase,
  clock: systemClock,
  log,
});
const market =
  process.env["MARKET"] === "1"
    ? openMarket({
        settings: { SLUICE_ROLES: ["worker"], SLUICE_SYNC_SECONDS: 3_600, VENUE_REDIS_URL: url },
        ...{ database: noDatabase, feed: trading.feed, clock: systemClock, log },
        objects: { put: async () => {}, get: () => Promise.reject(new Error("nothing is archived")) },
      })
    : undefined;
const { submit } = trading.commands;
const mix = createOrderMix(seed, USERS);

while ((await trading.commands.submit({ kind: "setUser", user: "probe", isFrozen: false })).kind !== "committed")
  await sleep(50);
const deposits = mix.deposits();
for (let at = 0; at < deposits.length; at += 500) await Promise.all(deposits.slice(at, at + 500).map(submit));

let latencies = createLatencies();
let submitted = 0;
let committed = 0;
let rejected = 0;
let failed = 0;
let inFlight = 0;
let refill: (() => void) | undefined;

function settle(answer: Submitted, at: number): void {
  inFlight--;
  latencies.add(performance.now() - at);
  if (answer.kind === "committed") committed++;
  else failed++;
  if (answer.kind === "committed" && answer.outcome.kind === "rejected") rejected++;
  mix.note(answer);
  refill?.();
}

function arrive(at: number): void {
  submitted++;
  inFlight++;
  void submit(mix.next()).then((answer) => settle(answer, at));
}

async function runFull(forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  refill = () => {
    if (inFlight < IN_FLIGHT_AT_FULL_SPEED && performance.now() < end) arrive(performance.now());
  };
  while (inFlight < IN_FLIGHT_AT_FULL_SPEED) arrive(performance.now());
  await sleep(forMs);
  refill = undefined;
}

const run = ratePerSecond > 0 ? (forMs: number) => arriveOpenly({ perSecond: ratePerSecond, forMs, arrive }) : runFull;
await run(warmUpMs);
process.stdout.write("measuring\n");
const before = { committed, cpu: process.cpuUsage(), at: performance.now() };
latencies = createLatencies();
await run(durationMs);
const seconds = (performance.now() - before.at) / 1_000;
const measured = committed - before.committed;
const cpu = process.cpuUsage(before.cpu);
const health = trading.health();
while (inFlight > 0) await sleep(5);
process.stdout.write(
  `${JSON.stringify({
    ordersPerSecond: measured / seconds,
    orders: measured,
    ...latencies.summary(),
    cpuMicrosPerOrder: (cpu.user + cpu.system) / measured,
    rejectedShare: rejected / Math.max(1, submitted),
    failed,
    projections: health.find(({ name }) => name === "projections")?.detail ?? "",
    market: market?.health()[0]?.detail ?? "",
  })}\n`,
);
await market?.stop();
await trading.stop();
