import { z } from "zod";
import { assert } from "../../shared/assert.ts";

const claims = z.object({ sub: z.string(), order: z.number().optional() });

/** What a ticket or a pass says, without a look at its signature: it is our own, and we are no judge of it. */
export function factsOf(token: string): { readonly id: string; readonly order: number | undefined } {
  const [, payload = ""] = token.split(".");
  const { sub, order } = claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  return { id: sub, order };
}

/** See `edge/queue/order.lua`: the sequence is a clock that ticks 64 times a millisecond, and lanes are spans of it. */
const SEQUENCE_PER_MS = 64;
const SEQUENCE_FROM_MS = 1_704_067_200_000;
const LANE_SPAN = 2 ** 50;
const LANE_MAX = 3;

/** The place of somebody who walked straight in at that moment of the store's clock, and so never had a ticket. */
export function placeAt(atMs: number): number {
  assert(atMs > SEQUENCE_FROM_MS, "the store's clock is past the beginning of the sequence");
  return LANE_MAX * LANE_SPAN + (atMs - SEQUENCE_FROM_MS) * SEQUENCE_PER_MS;
}
