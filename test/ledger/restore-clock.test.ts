import { expect, it } from "vitest";
import { openTrading, type Trading } from "../../origin/open-trading.ts";
import { restoreStore } from "../../origin/record/sync/restore-store.ts";
import { systemClock } from "../../shared/clock.ts";
import { until } from "../core/core.ts";
import { type LedgerStores, openLedgerStores, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const DAY_MS = 86_400_000;

function open({ database, redisServer }: LedgerStores, roles: ("api" | "engine" | "worker")[]): Trading {
  return openTrading({
    settings: { SLUICE_ROLES: roles, SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: redisServer.url },
    database,
    clock: systemClock,
    log: silentLog,
  });
}

const untilLeading = (trading: Trading) =>
  until(() => trading.health().some(({ detail }) => detail?.startsWith("leader") === true));

it("accepts commands after a restore into a Redis whose clock is behind the last command", async () => {
  const stores = await openLedgerStores("embedded");
  const ledger = startLedger(stores);
  // The clock of the lost Redis was a day ahead.
  const world = createTradingWorld({ seed: 3, atMs: Date.now() + DAY_MS });
  await putEntries(
    stores.redis,
    Array.from({ length: 5 }, () => world.next().entry),
  );
  await until(() => ledger.state().sequence === world.position().sequence);
  await ledger.stop();
  await stores.redis.flushall();
  expect(await restoreStore(stores.database, stores.redis)).toMatchObject({ ok: true });

  const engine = open(stores, ["engine", "worker"]);
  // Commands of the engine's own process do not go through the stream.
  const { commands, stop } = open(stores, ["api"]);
  try {
    await untilLeading(engine);
    const deposit = {
      kind: "deposit",
      user: world.users[0] ?? "",
      currency: "idr",
      amount: 5n,
      reference: "after",
    } as const;
    expect(await commands.submit(deposit)).toMatchObject({ kind: "committed", outcome: { kind: "done" } });
    expect(await commands.submit(deposit)).toMatchObject({ kind: "committed", outcome: { kind: "repetition" } });
    const before = { ...deposit, amount: 10n ** 15n, reference: "first idr" };
    expect(await commands.submit(before)).toMatchObject({ kind: "committed", outcome: { kind: "repetition" } });
  } finally {
    await stop();
    await engine.stop();
  }
});

it("leads at once on a Redis whose clock was set back before the end of the last lease", async () => {
  const stores = await openLedgerStores("embedded");
  await stores.redis.hset("v1:{t0}:fence", { epoch: "7", owner: "1.gone", until: String(Date.now() + DAY_MS) });
  const engine = open(stores, ["engine"]);
  try {
    await untilLeading(engine);
    expect(await stores.redis.hget("v1:{t0}:fence", "epoch")).toBe("8");
  } finally {
    await engine.stop();
  }
});
