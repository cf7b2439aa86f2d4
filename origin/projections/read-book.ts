import type { Redis } from "ioredis";
import type { OrderRow } from "../engine/changes.ts";
import { replies } from "../redis/pipeline.ts";
import type { Grids } from "./grids.ts";
import { bookKey, orderKey } from "./keys.ts";
import { type OrderHash, restingOrder } from "./order-fields.ts";

const PAGE = 500;

/** The open orders of a pair as they are projected, a page at a time. While it reads, some may end: those come as ended, or not at all. */
export async function* readBook(redis: Redis, pair: string, grids: Grids): AsyncGenerator<OrderRow> {
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(bookKey(pair), cursor, "COUNT", PAGE);
    cursor = next;
    const pipeline = redis.pipeline();
    for (let at = 0; at < flat.length; at += 2) pipeline.hgetall(orderKey(Number(flat[at])));
    for (const stored of await replies(pipeline)) {
      const order = restingOrder(stored as OrderHash, grids);
      if (order !== undefined) yield order;
    }
  } while (cursor !== "0");
}
