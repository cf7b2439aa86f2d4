import { alternate, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { onFreshRedis, runCore } from "../orders/orders-core.ts";
import type { MarketEffort } from "./market.ts";

/** The core may lose a twentieth. */
const AIM = 0.95;

/** The order path with market data in the same process, against the same without it. */
export async function measureCoreWithMarket({ rounds, durationMs }: MarketEffort): Promise<readonly BenchmarkRow[]> {
  const effort = { fsyncs: [], rounds, durationMs, warmUpMs: durationMs / 2, sets: 0, rate: 0 };
  const lags: string[] = [];
  const ordersWith = (withMarket: boolean) =>
    onFreshRedis("always", async (server) => {
      const figures = await runCore(server, { ...effort, withMarket });
      if (withMarket) lags.push(figures.market);
      return figures.ordersPerSecond;
    });
  const rows = await alternate({ rounds, subject: () => ordersWith(true), baseline: () => ordersWith(false) });
  const what = "orders, core only, with market data in the same process, against without";
  return [{ ...benchmarkRow({ what, unit: "orders/s", aim: AIM, ...rows }), notes: `at the end: ${lags.join("; ")}` }];
}
