import { expect, it } from "vitest";
import { openTrading } from "../../origin/open-trading.ts";
import { restoreStore } from "../../origin/sync/restore-store.ts";
import { systemClock } from "../../shared/clock.ts";
import { until } from "../core/core.ts";
import { openLedgerStores, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const DAY_MS = 86_400_000;

it("takes commands again when it was restored into a Redis whose clock is behind the last command", async () => {
  const stores = await openLedgerStores("embedded");
  const ledger = startLedger(stores);
  // The clock of the Redis that was lost was a day ahead.
  const world = createTradingWorld({ seed: 3, atMs: Date.now() + DAY_MS });
  await putEntries(
    stores.redis,
    Array.from({ length: 5 }, () => world.next().entry),
  );
  await until(() => ledger.state().sequence === world.position().sequence);
  await ledger.stop();
  await stores.redis.flushall();
  expect(await restoreStore(stores.database, stores.redis)).toMatchObject({ ok: true });

  const trading = openTrading({
    settings: { SLUICE_ROLES: ["api", "engine", "worker"], SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: stores.redisServer.url },
    database: stores.database,
    clock: systemClock,
    log: silentLog,
  });
  try {
    await until(() => trading.health().some(({ detail }) => detail?.startsWith("leader") === true));
    const deposit = { kind: "deposit", user: world.users[0] ?? "", currency: "idr", amount: 5n, reference: "after" } as const;
    expect(await trading.commands.submit(deposit)).toMatchObject({ kind: "committed", outcome: { kind: "done" } });
    expect(await trading.commands.submit(deposit)).toMatchObject({ kind: "committed", outcome: { kind: "repetition" } });
    const before = { ...deposit, amount: 10n ** 15n, reference: "first idr" };
    expect(await trading.commands.submit(before)).toMatchObject({ kind: "committed", outcome: { kind: "repetition" } });
  } finally {
    await trading.stop();
  }
});

it("leads at once on a Redis whose clock was set back behind the end of the last lease", async () => {
  const stores = await openLedgerStores("embedded");
  await stores.redis.hset("v1:{t0}:fence", { epoch: "7", owner: "1.gone", until: String(Date.now() + DAY_MS) });
  const trading = openTrading({
    settings: { SLUICE_ROLES: ["engine"], SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: stores.redisServer.url },
    database: stores.database,
    clock: systemClock,
    log: silentLog,
  });
  try {
    await until(() => trading.health().some(({ detail }) => detail?.startsWith("leader") === true));
    expect(await stores.redis.hget("v1:{t0}:fence", "epoch")).toBe("8");
  } finally {
    await trading.stop();
  }
});
