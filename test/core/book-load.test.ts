import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { createLogger } from "../../origin/log.ts";
import { openBookSnapshots } from "../../origin/projections/book-snapshots.ts";
import { createGrids, type Grids } from "../../origin/projections/grids.ts";
import { bookKey, bookSnapshotKey, orderKey } from "../../origin/projections/keys.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { until } from "./core.ts";

const ORDERS = 200_000;
/** Orders that are taken in between two turns of the event loop: a few pages at the most. */
const BETWEEN_TURNS_MAX = 2_500;
const PAIR = "btcidr";

/** One bid at each of 200,000 prices, as the projection would leave them. */
async function writeBook(redis: Redis): Promise<void> {
  for (let first = 1; first <= ORDERS; first += 5_000) {
    const pipeline = redis.pipeline();
    for (let id = first; id < first + 5_000; id++) {
      pipeline.hset(bookKey(PAIR), String(id), "open");
      pipeline.hset(orderKey(id), {
        ...{ id, user: "ann", pair: PAIR, grid: 1, side: "buy", price: String(id * 1_000), quantity: "0.0001" },
        ...{ status: "open", created_at: 1, updated_at: 1 },
      });
    }
    await pipeline.exec();
  }
}

it("a book of 200,000 levels is read in pieces, with turns of the event loop between them", { timeout: 120_000 }, async () => {
  const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
  afterAll(() => server.stop());
  const redis = new Redis(server.url);
  afterAll(() => redis.disconnect());
  await writeBook(redis);
  const grids = createGrids();
  grids.putCurrency({ currency: "btc", scale: 8 });
  grids.putCurrency({ currency: "idr", scale: 2 });
  grids.putPair({ pair: PAIR, grid: 1, baseCurrency: "btc", quoteCurrency: "idr", tickSteps: 100_000n, lotSteps: 1_000n });
  let taken = 0;
  let mostBetweenTurns = 0;
  let isWatching = true;
  const counting: Grids = {
    ...grids,
    find: (pair, grid) => {
      taken++;
      return grids.find(pair, grid);
    },
  };
  const watch = () => {
    mostBetweenTurns = Math.max(mostBetweenTurns, taken - seen);
    seen = taken;
    if (isWatching) setImmediate(watch);
  };
  let seen = 0;
  watch();
  const log = createLogger("book-load-test", { write: () => {} });
  const books = openBookSnapshots({ redis, grids: counting, pairs: [PAIR], from: { sequence: 7, at: 1 }, log });
  await until(async () => (await redis.exists(bookSnapshotKey(PAIR))) === 1, 60_000);
  isWatching = false;
  await books.stop(true);
  expect(taken).toBe(ORDERS);
  expect(mostBetweenTurns).toBeLessThan(BETWEEN_TURNS_MAX);
  const { sequence, bids } = JSON.parse((await redis.get(bookSnapshotKey(PAIR))) ?? "") as { sequence: number; bids: [string, string][] };
  expect([sequence, bids.length, bids[0], bids[99]]).toEqual([7, 100, ["200000000", "0.0001"], ["199901000", "0.0001"]]);
});
