import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { createGrids, type Grids } from "../../origin/instruments/grids.ts";
import { openBookSnapshots } from "../../origin/state/book/book-snapshots.ts";
import { bookKey, bookSnapshotKey, orderKey } from "../../origin/state/keys.ts";
import { createLatestRows } from "../../origin/state/latest-rows.ts";
import { restingOrder } from "../../origin/state/order-writes.ts";
import { createLogger } from "../../stack/program/log.ts";
import { until } from "./core.ts";

const ORDERS = IS_FULL_RUN ? 200_000 : 50_000;
/** Orders that are absorbed between two turns of the event loop: a few pages at most. */
const BETWEEN_TURNS_MAX = 2_500;
const PAIR = "btcidr";

const priceOf = (id: number) => String(id * 1_000);

const storedOrder = (id: number) => ({
  ...{ id, user: "ann", pair: PAIR, grid: 1, side: "buy", price: priceOf(id), quantity: "0.0001" },
  ...{ status: "open", created_at: 1, updated_at: 1 },
});

/** One bid at each price, as the projection would leave them. */
async function writeBook(redis: Redis): Promise<void> {
  for (let first = 1; first <= ORDERS; first += 5_000) {
    const pipeline = redis.pipeline();
    for (let id = first; id < first + 5_000; id++) {
      pipeline.hset(bookKey(PAIR), String(id), "open");
      pipeline.hset(orderKey(id), storedOrder(id));
    }
    await pipeline.exec();
  }
}

async function startBooks() {
  const server = await borrowRedis({ fsync: "no" });
  const redis = new Redis(server.url);
  afterAll(() => redis.disconnect());
  const grids = createGrids();
  grids.learn({
    currencies: [
      { currency: "btc", scale: 8 },
      { currency: "idr", scale: 2 },
    ],
    pairs: [{ pair: PAIR, grid: 1, baseCurrency: "btc", quoteCurrency: "idr", tickSteps: 100_000n, lotSteps: 1_000n }],
  });
  return { redis, grids, log: createLogger("book-load-test", { write: () => {} }) };
}

it("a row that was projected while the books are read takes precedence over the read one", async () => {
  const parts = await startBooks();
  const { redis, grids } = parts;
  for (const id of [1, 2])
    await redis.multi().hset(bookKey(PAIR), String(id), "open").hset(orderKey(id), storedOrder(id)).exec();
  const books = openBookSnapshots({ ...parts, pairs: [PAIR], from: { sequence: 1, at: 1 } });
  const order = restingOrder(
    Object.fromEntries(Object.entries(storedOrder(1)).map(([name, value]) => [name, String(value)])),
    grids,
  );
  if (order === undefined) throw new Error("the order rests");
  const rows = createLatestRows();
  rows.orders.set(1, { ...order, status: "cancelled" });
  books.absorb(rows, 2);
  await until(async () => (await redis.exists(bookSnapshotKey(PAIR))) === 1);
  await books.stop(true);
  expect(JSON.parse((await redis.get(bookSnapshotKey(PAIR))) ?? "")).toMatchObject({
    sequence: 2,
    bids: [["2000", "0.0001"]],
  });
});

it("a worker that wakes up does not overwrite the snapshot of a later commit", async () => {
  const parts = await startBooks();
  const { redis } = parts;
  const open = (sequence: number) => openBookSnapshots({ ...parts, pairs: [PAIR], from: { sequence, at: 1 } });
  const sequenceOf = async () =>
    (JSON.parse((await redis.get(bookSnapshotKey(PAIR))) ?? "{}") as { sequence?: number }).sequence;
  const newer = open(9);
  await until(async () => (await sequenceOf()) === 9);
  await redis.config("RESETSTAT");
  const older = open(8);
  await until(async () => (await redis.info("commandstats")).includes("cmdstat_getrange:calls=1"));
  expect(await sequenceOf()).toBe(9);
  await Promise.all([newer.stop(false), older.stop(false)]);
});

it("a deep book is read in pieces, with turns of the event loop between them", {
  timeout: 120_000,
}, async () => {
  const { redis, grids, log } = await startBooks();
  await writeBook(redis);
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
  const books = openBookSnapshots({ redis, grids: counting, pairs: [PAIR], from: { sequence: 7, at: 1 }, log });
  await until(async () => (await redis.exists(bookSnapshotKey(PAIR))) === 1, 60_000);
  isWatching = false;
  await books.stop(true);
  expect(taken).toBe(ORDERS);
  expect(mostBetweenTurns).toBeLessThan(BETWEEN_TURNS_MAX);
  const { sequence, bids } = JSON.parse((await redis.get(bookSnapshotKey(PAIR))) ?? "") as {
    sequence: number;
    bids: [string, string][];
  };
  expect([sequence, bids.length, bids[0], bids[99]]).toEqual([
    7,
    100,
    [priceOf(ORDERS), "0.0001"],
    [priceOf(ORDERS - 99), "0.0001"],
  ]);
});
