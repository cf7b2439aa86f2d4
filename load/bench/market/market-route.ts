import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { makeDemoHistory } from "../../../origin/market/demo-history.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { alternate, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { measureFaultless } from "../http/http-load.ts";
import { startNodeServer } from "../http/node-server.ts";
import type { MarketEffort } from "./market.ts";
import { GRID } from "./market-alone.ts";

const AIM = 0.6;
const CONNECTIONS = 16;
const SERVER = fileURLToPath(new URL("./market-route-server.ts", import.meta.url));

/** `GET /market/{pair}/candles` with 1,000 bars, against a route of the same listener that answers `{}`. */
export async function measureCandleRoute(folder: string, effort: MarketEffort): Promise<readonly BenchmarkRow[]> {
  await mkdir(folder);
  const store = await startRedisServer({ folder, fsync: "everysec" });
  const redis = new Redis(store.url);
  await makeDemoHistory({ redis, nowMs: Date.now(), seed: 1 }, [{ grid: GRID, price: "1600000000" }]);
  redis.disconnect();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { VENUE_REDIS_URL: store.url, PORT: String(port) };
  const server = await startNodeServer({ core: 1, file: SERVER, environment, url, readyPath: "/api/v1/nothing" });
  const load = (path: string) => async () => {
    const headers = { "accept-encoding": "gzip" };
    const asked = { url: `${url}/api/v1${path}`, headers, connections: CONNECTIONS, durationMs: effort.durationMs };
    return (await measureFaultless(asked)).requestsPerSecond;
  };
  try {
    const subject = load("/market/btcidr/candles?tf=1m&limit=1000");
    const rows = await alternate({ rounds: effort.rounds, subject, baseline: load("/nothing") });
    const what = "GET candles, 1,000 bars, compressed, against a route that answers {}";
    return [benchmarkRow({ what, unit: "requests/s", aim: AIM, ...rows })];
  } finally {
    await server.stop();
    await store.stop();
  }
}
