import { expect, it } from "vitest";
import { deposit, engineIs, limitOrder, startCore } from "./core.ts";

it("answers an order with what the journal says of it", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 10n ** 14n, "d1"));
  const placed = await core.commit(limitOrder({ user: "ann", side: "buy", ticks: 1_000_000, lots: 100 }));
  expect(placed.outcome.kind).toBe("order");
  await new Promise((r) => setTimeout(r, 800)); process.stderr.write(core.logged.join("")); expect(await core.trading.commands.untilProjected(placed.sequence)).toBe(true);
  expect(await core.redis.keys("v1:*")).toEqual([]);
});
