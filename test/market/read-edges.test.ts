import type { Redis } from "ioredis";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import type { Database } from "../../origin/db/database.ts";
import { createGrids } from "../../origin/instruments/grids.ts";
import { openHub } from "../../origin/live/fan-out/hub.ts";
import { bucketStart, type Frame } from "../../origin/market/candles/frames.ts";
import { candleArchive } from "../../origin/market/history/candle-archive.ts";
import { openColdRows } from "../../origin/market/history/cold-rows.ts";
import { insertCandleArchive } from "../../origin/market/history/history-queries.ts";
import { candlesKey, dayOf, GAPS_KEY, PUMP_SCORES_KEY } from "../../origin/market/keys.ts";
import { createMarketState } from "../../origin/market/market-state.ts";
import { createPositionBook } from "../../origin/market/positions/position-book.ts";
import { readCandles } from "../../origin/market/read/candle-query.ts";
import { createMarketRound } from "../../origin/market/summary/market-round.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { systemClock } from "../../shared/clock.ts";
import { openLedgerStores, silentLog } from "../ledger/ledger-stores.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2027, 2, 1, 12);
const TODAY = bucketStart("1d", NOW);
const GRID = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 };
const PAIR = { ...GRID, tickSteps: 100_000n, lotSteps: 1_000n };
const bar = (price: number) => `${price},${price},${price},${price},1,1,1,0,0,1,1`;

describe("reading candles", () => {
  let redis: Redis;
  let connect: () => Redis;
  let database: Database;
  let cold: ReturnType<typeof openColdRows>;
  type Asked = Partial<Parameters<typeof readCandles>[1]> & { readonly frame: Frame };

  async function times(asked: Asked, older = cold): Promise<readonly number[]> {
    const query = { pair: PAIR, zone: undefined, from: undefined, to: undefined, limit: 10, fill: "none" } as const;
    const found = await readCandles({ redis, cold: older, nowMs: () => NOW }, { ...query, ...asked });
    return found.ok ? found.value.rows.map(({ openTime }) => openTime) : [];
  }

  async function putMinutes(day: number, count: number): Promise<void> {
    const bars = Array.from({ length: count }, (_, minute) => [String(day + minute * MINUTE_MS), bar(1)] as const);
    await redis.hset(candlesKey("btcidr", "1m", dayOf(day)), Object.fromEntries(bars));
  }

  beforeAll(async () => {
    ({ redis, connect, database } = await openLedgerStores("server"));
    const archive = candleArchive(folderArchive(await temporaryFolder()));
    cold = openColdRows({ database, archive, nowMs: () => NOW, scalesOf: async () => PAIR });
    // A quiet day lies between two busy ones.
    await putMinutes(TODAY - 6 * DAY_MS, 60);
    await putMinutes(TODAY - 4 * DAY_MS, 2);
    await putMinutes(TODAY - 3 * DAY_MS, 60);
    for (let day = dayOf(TODAY) - 200; day < dayOf(TODAY) - 100; day++) {
      const { path, sha256 } = await archive.write("btcidr", day, [{ openTime: day * DAY_MS, text: bar(1) }]);
      await insertCandleArchive.all(database, { symbol: "btcidr", day, path, bars: 1, sha256 });
    }
  }, 60_000);

  it("finds the newest bars behind a busy day that is only begun", async () => {
    const found = await times({ frame: "1m", to: TODAY - 3 * DAY_MS, limit: 10 });
    expect(found).toHaveLength(10);
    expect([found[0], found.at(-1)]).toEqual([TODAY - 6 * DAY_MS + 53 * MINUTE_MS, TODAY - 3 * DAY_MS]);
  });

  it("finds the oldest bars after a busy day that is almost over", async () => {
    const found = await times({ frame: "1m", from: TODAY - 6 * DAY_MS + 59 * MINUTE_MS, limit: 10 });
    expect(found).toHaveLength(10);
    expect(found.slice(0, 4)).toEqual([
      TODAY - 6 * DAY_MS + 59 * MINUTE_MS,
      ...[0, 1].map((minute) => TODAY - 4 * DAY_MS + minute * MINUTE_MS),
      TODAY - 3 * DAY_MS,
    ]);
  });

  it("reads the archive without a hole, however thin its days are", async () => {
    const expected = Array.from({ length: 80 }, (_, day) => TODAY - (200 - day) * DAY_MS);
    expect(await times({ frame: "4h", from: TODAY - 200 * DAY_MS, limit: 80 })).toEqual(expected);
    const newest = Array.from({ length: 80 }, (_, day) => TODAY - (180 - day) * DAY_MS);
    expect(await times({ frame: "4h", to: TODAY - 95 * DAY_MS, limit: 80 })).toEqual(newest);
  });

  it("fills months up to the newest one", async () => {
    const first = { openTime: Date.UTC(2020, 0, 1), text: bar(1) };
    const rows = { read: async ({ from }: { readonly from: number }) => (from <= first.openTime ? [first] : []) };
    const found = await times({ frame: "1M", limit: 24, fill: "prev" }, rows);
    expect(found).toEqual(Array.from({ length: 24 }, (_, month) => Date.UTC(2025, 3 + month, 1)));
  });

  it("replaces the ranks that another process left, also by none", async () => {
    const parts = { grids: createGrids(), terms: [], pairs: [], positions: createPositionBook(undefined) };
    const round = createMarketRound(redis);
    const [first] = await round.writes(createMarketState(parts), { at: NOW, sequence: 1 });
    expect(first).toEqual(["DEL", PUMP_SCORES_KEY, GAPS_KEY]);
    expect(await round.writes(createMarketState(parts), { at: NOW, sequence: 1 })).not.toContainEqual(first);
  });

  it("keeps nothing of a live reader that left before its subscription began", async () => {
    const sources = { maintenance: () => undefined, board: undefined };
    const reader = connect();
    const hub = openHub({ redis: connect(), reader, sources, clock: systemClock, log: silentLog });
    expect(await hub.untilReady(10_000)).toBe(true);
    const outlet = { kind: "socket", write: () => {}, unsentBytes: () => 0 } as const;
    const member = hub.open({ outlet, onSlow: () => {} });
    hub.leave(member);
    hub.subscribe(member, { channel: "system", user: undefined, from: undefined });
    expect(hub.counts()).toEqual({ channels: 0, audiences: 0, apart: 0 });
    reader.disconnect();
    await hub.stop();
  });
});
