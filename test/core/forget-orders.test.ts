import { expect, it } from "vitest";
import { forgetOldOrders } from "../../origin/projections/forget-orders.ts";
import { ENDED_LISTS_KEY, endedKey } from "../../origin/projections/keys.ts";
import { deposit, engineIs, limitOrder, startCore } from "./core.ts";

const DAY_MS = 86_400_000;

it("forgets ended orders a month after the day they ended, and no others", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { commit, redis } = core;
  await commit(deposit("ann", "idr", 10n ** 14n, "d1"));
  const resting = await commit(limitOrder({ user: "ann", side: "buy", ticks: 1_000_000, lots: 100 }));
  const ended = await commit(limitOrder({ user: "ann", side: "buy", ticks: 1_000_000, lots: 100, timeInForce: "IOC" }));
  if (resting.outcome.kind !== "order" || ended.outcome.kind !== "order") throw new Error("both are placed");
  expect(await core.trading.commands.untilProjected(ended.sequence)).toBe(true);
  const keys = [resting, ended].map(({ outcome }) => `v1:{t0}:order:${outcome.kind === "order" ? outcome.order.id : 0}`);
  const day = Math.floor(ended.outcome.order.updatedAt / DAY_MS);
  const forgetAt = (nowMs: number) => forgetOldOrders(redis, { nowMs, isStopping: () => false });

  await forgetAt((day + 31) * DAY_MS - 1);
  expect(await Promise.all(keys.map((key) => redis.exists(key)))).toEqual([1, 1]);
  await forgetAt((day + 31) * DAY_MS);
  expect(await Promise.all(keys.map((key) => redis.exists(key)))).toEqual([1, 0]);
  expect(await redis.exists(endedKey("cancelled", day), ENDED_LISTS_KEY)).toBe(0);
});
