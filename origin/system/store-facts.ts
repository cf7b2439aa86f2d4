import type { Redis } from "ioredis";
import { FENCE_KEY, OFFSET_KEY } from "../journal/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { PROJECTED_KEY } from "../state/keys.ts";

/** Figures of the venue's Redis and of the venue in it. */
export type StoreFacts = {
  readonly clients: number | undefined;
  readonly clientsMax: number | undefined;
  readonly epoch: number;
  readonly committed: number;
  readonly lag: number;
  readonly orders: number;
  readonly trades: number;
};

/** One round trip. */
export async function readStore(redis: Redis): Promise<StoreFacts> {
  const pipeline = redis.pipeline().info("clients").hget(FENCE_KEY, "epoch").hget(OFFSET_KEY, "sequence");
  pipeline.hmget(PROJECTED_KEY, "sequence", "next_order_id", "next_trade_id");
  const [info, epoch, committed, projected] = await replies(pipeline);
  const [sequence, nextOrderId, nextTradeId] = (projected as readonly (string | null)[]).map((text) =>
    Number(text ?? 0),
  );
  return {
    clients: numberIn(String(info), "connected_clients"),
    clientsMax: numberIn(String(info), "maxclients"),
    epoch: Number(epoch ?? 0),
    committed: Number(committed ?? 0),
    // The two are read one after the other: a step in between must not give a negative lag.
    lag: Math.max(0, Number(committed ?? 0) - (sequence ?? 0)),
    orders: Math.max(0, (nextOrderId ?? 0) - 1),
    trades: Math.max(0, (nextTradeId ?? 0) - 1),
  };
}

function numberIn(info: string, name: string): number | undefined {
  const text = new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}
