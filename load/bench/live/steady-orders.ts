import type { Database } from "../../../origin/db/database.ts";
import { openTrading } from "../../../origin/open-trading.ts";
import { systemClock } from "../../../shared/clock.ts";
import { createLogger } from "../../../stack/program/log.ts";
import { createOrderMix } from "../orders/orders-mix.ts";

const noLedger: Database = {
  query: async () => [{ is_there: false }],
  transaction: async () => Promise.reject(new Error("no transactions")),
  ping: async () => {},
  close: async () => {},
};

const USERS = 40;
const SEED = 5;

/** One order at a time, evenly, from an engine in this process, until it is stopped. */
export async function startSteadyOrders(url: string, everyMs: number): Promise<{ readonly stop: () => Promise<void> }> {
  const trading = openTrading({
    settings: { SLUICE_ROLES: ["api", "engine", "worker"], SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: url },
    ...{ database: noLedger, clock: systemClock, log: createLogger("steady-orders", { write: () => {} }) },
  });
  const mix = createOrderMix(SEED, USERS);
  for (const deposit of mix.deposits())
    while ((await trading.commands.submit(deposit)).kind !== "committed")
      await new Promise((resolve) => setTimeout(resolve, 50));
  const timer = setInterval(() => void trading.commands.submit(mix.next()).then(mix.note), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await trading.stop();
    },
  };
}
