import type { Redis } from "ioredis";
import { COMMANDS_KEY } from "./keys.ts";

/** The newest entries only: the append that we look for was made within the last seconds. */
const LOOK_BACK_ENTRIES = 1_000;

/** The id of an append whose reply was lost, if it is there. */
export async function findAppend(redis: Redis, wanted: { readonly node: string; readonly append: number }): Promise<string | undefined> {
  const entries = await redis.xrevrange(COMMANDS_KEY, "+", "-", "COUNT", LOOK_BACK_ENTRIES);
  const found = entries.find(([, [, node, , append]]) => node === wanted.node && Number(append) === wanted.append);
  return found?.[0];
}
