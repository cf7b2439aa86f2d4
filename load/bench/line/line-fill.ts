import type { Redis } from "ioredis";
import { queueKeys } from "../../../edge/line/keys.ts";

/** Lane 0 comes after the three higher lanes. */
const LANE_0_ORDER = 3 * 2 ** 50;
const CHUNK = 1_000;
const OVERDUE_AFTER_MS = 3_600_000;

/**
 * Fills a line without a call per visitor: the state after a million joins, in seconds. A test compares it with real
 * joins.
 */
export async function fillLine(
  redis: Redis,
  { queueId, size }: { readonly queueId: string; readonly size: number },
): Promise<void> {
  const keys = queueKeys(queueId);
  const dueMs = Date.now() + OVERDUE_AFTER_MS;
  for (let from = 1; from <= size; from += CHUNK) {
    const members = Array.from({ length: Math.min(CHUNK, size - from + 1) }, (_, index) => memberOf(from + index));
    await Promise.all([
      redis.zadd(keys.waiting, ...members.flatMap(({ ticketId, order }) => [order, ticketId])),
      redis.zadd(keys.beats, ...members.flatMap(({ ticketId }) => [dueMs, ticketId])),
    ]);
  }
  await redis.hset(keys.bucket, "sequence", 2 * size);
  await redis.hset(keys.stats, { total_enqueued: size, waiting: size });
}

/** Ticket ids have the length of real ones. */
export function memberOf(number: number): { readonly ticketId: string; readonly order: number } {
  return { ticketId: `waiting-${String(number).padStart(14, "0")}`, order: LANE_0_ORDER + 2 * number };
}
