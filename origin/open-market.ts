import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import { metricsText } from "../shared/http/exposition.ts";
import type { PartHealth } from "../shared/http/health.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import type { Database } from "./db/database.ts";
import type { OriginSettings } from "./environment.ts";
import { createGrids } from "./instruments/grids.ts";
import type { JournalFeed } from "./journal/journal-feed.ts";
import { OFFSET_KEY } from "./journal/keys.ts";
import { makeDemoHistory } from "./market/demo-history.ts";
import { candleArchive, type ObjectStore } from "./market/history/candle-archive.ts";
import { keepHistory } from "./market/history/keep-history.ts";
import { type Repaired, type RepairRange, repairCandles } from "./market/history/repair-candles.ts";
import { MARKET_KEY } from "./market/keys.ts";
import { startMarketProjection } from "./market/market-projection.ts";
import { rebuildMarket } from "./market/rebuild-market.ts";
import { openLedgerReader } from "./record/ledger/market-trades.ts";
import { type ConnectOptions, connectRedis } from "./redis/connect.ts";
import { readTerms } from "./state/load-state.ts";

/** Opens market data in a worker process; processes with other roles only read what it writes. */
export type Market = {
  readonly health: () => readonly PartHealth[];
  /** Prometheus text. */
  readonly metrics: () => string;
  /** Makes the closed bars of a pair and a range again from the ledger. */
  readonly repair: (range: RepairRange) => Promise<Repaired>;
  /** Thirty days of candles from a seed, marked as demo data, for the pairs whose price is given. */
  readonly makeDemo: (demo: {
    readonly seed: number;
    readonly prices: Readonly<Record<string, string>>;
  }) => Promise<number>;
  readonly stop: () => Promise<void>;
};

type MarketParts = {
  readonly settings: Pick<OriginSettings, "SLUICE_ROLES" | "SLUICE_SYNC_SECONDS" | "VENUE_REDIS_URL">;
  readonly database: Database;
  /** For candles that have left Redis. */
  readonly objects: ObjectStore;
  readonly feed: JournalFeed;
  readonly clock: Clock;
  readonly log: Logger;
  /** Tests write more often. */
  readonly flushMs?: number;
};

const MEASURE_EVERY_MS = 500;

export function openMarket({ settings, database, objects, feed, clock, log, flushMs }: MarketParts): Market {
  if (!settings.SLUICE_ROLES.includes("worker")) return NO_MARKET;
  const connections: Redis[] = [];
  const open = (options?: ConnectOptions) => {
    const redis = connectRedis(settings.VENUE_REDIS_URL, log, options);
    connections.push(redis);
    return redis;
  };
  const redis = open();
  const ledger = openLedgerReader(database);
  let lag = 0;

  const projection = startMarketProjection({
    ...{ redis, reader: open(), writer: open({ isRaw: true }), feed, nowMs: clock.nowMs, log },
    owner: `${process.pid}.${newId(systemRandom)}`,
    rebuild: (writes) => rebuildMarket({ ledger, redis, writes, nowMs: clock.nowMs(), log }),
    ...(flushMs !== undefined && { flushMs }),
  });

  const repair = (range: RepairRange) => repairCandles({ database, redis, ledger, nowMs: clock.nowMs() }, range);
  const history = keepHistory({
    ...{ database, redis, archive: candleArchive(objects), repair, nowMs: clock.nowMs, log },
    intervalMs: settings.SLUICE_SYNC_SECONDS * 1_000,
  });

  async function measure(): Promise<void> {
    const [committed, projected] = await Promise.all([
      redis.hget(OFFSET_KEY, "sequence"),
      redis.hget(MARKET_KEY, "sequence"),
    ]);
    lag = Number(committed ?? 0) - Number(projected ?? 0);
  }

  // While Redis is unavailable the last figure counts; the store's own health reports the outage.
  const measuring = setInterval(() => void measure().catch(() => {}), MEASURE_EVERY_MS);
  return {
    health: () => [marketHealth(lag, projection.state().haltedFor)],
    metrics: () =>
      metricsText("sluice_venue_market_", [
        { name: "lag_entries", kind: "gauge", help: "Journal entries that market data is behind.", value: lag },
        {
          name: "halted",
          kind: "gauge",
          help: "1 if market data has stopped at a fault of the journal.",
          value: projection.state().haltedFor === undefined ? 0 : 1,
        },
        {
          name: "history_behind_trades",
          kind: "gauge",
          help: "Trades whose candles are in Redis and not in PostgreSQL yet.",
          value: history.state().tradesBehind,
        },
      ]),
    repair,
    async makeDemo({ seed, prices }) {
      const grids = createGrids();
      const terms = await readTerms(redis, grids);
      const pairs = terms.flatMap(({ pair, grid }) => {
        const price = prices[pair];
        return price === undefined ? [] : [{ grid: grids.of(pair, grid), price }];
      });
      return makeDemoHistory({ redis, nowMs: clock.nowMs(), seed }, pairs);
    },
    stop: async () => {
      clearInterval(measuring);
      await history.stop();
      await projection.stop();
      for (const connection of connections) connection.disconnect();
    },
  };
}

const NO_MARKET: Market = {
  health: () => [],
  metrics: () => "",
  repair: () => Promise.reject(new Error("this process has no role that keeps market data")),
  makeDemo: () => Promise.reject(new Error("this process has no role that keeps market data")),
  stop: async () => {},
};

/** Late or stopped market data is reported and takes no process out of service: trading does not depend on it. */
function marketHealth(lag: number, haltedFor: string | undefined): PartHealth {
  const detail = haltedFor === undefined ? `${lag} journal entries behind` : `stopped: ${haltedFor}`;
  return { name: "marketData", state: "ok", detail };
}
