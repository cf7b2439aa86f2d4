import type { Redis } from "ioredis";
import { newId, systemRandom } from "../../shared/ids.ts";
import { LIFE_KEY } from "./keys.ts";

/**
 * Identifies one life of the journal: the `epoch` of live messages. Sequences of one life never mean two different
 * entries. It survives restarts and changes of the leader (unlike the fence's epoch); a restore begins a new one,
 * because entries that were sent and never reached PostgreSQL are gone, and their sequences are used again.
 */
export async function readLife(redis: Redis): Promise<string> {
  const known = await redis.get(LIFE_KEY);
  if (known !== null) return known;
  // A venue of an earlier version, or a new one: the first process that asks begins it.
  await redis.set(LIFE_KEY, newLife(), "NX");
  return (await redis.get(LIFE_KEY)) ?? "";
}

const LIFE_CHARS = 10;

export const newLife = (): string => newId(systemRandom).slice(0, LIFE_CHARS);
