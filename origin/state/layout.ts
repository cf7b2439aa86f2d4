import type { Redis } from "ioredis";
import { FORMAT_KEY, OFFSET_KEY } from "../journal/keys.ts";
import { PROJECTED_KEY } from "./keys.ts";

/**
 * How the venue's Redis is laid out: every key of the shard, and the bodies of the journal. A program reads and writes
 * one layout; an earlier one is upgraded by `origin/upgrade/` before anything else is read, a later one is not touched.
 * A new venue begins with the newest.
 */
export const LAYOUT = 3;

/** Before there were numbers. */
const FIRST_LAYOUT = 1;

export type FoundLayout =
  | { readonly kind: "none" }
  | { readonly kind: "layout"; readonly layout: number }
  | { readonly kind: "unknown"; readonly text: string };

export async function readLayout(redis: Redis): Promise<FoundLayout> {
  const text = await redis.get(FORMAT_KEY);
  if (text === null)
    return (await redis.exists(OFFSET_KEY, PROJECTED_KEY)) > 0
      ? { kind: "layout", layout: FIRST_LAYOUT }
      : { kind: "none" };
  return /^[1-9]\d{0,8}$/.test(text) ? { kind: "layout", layout: Number(text) } : { kind: "unknown", text };
}

/** Why this program must not touch the store, in a sentence; undefined for this layout, an earlier one, or none. */
export function foreignLayout(found: FoundLayout): string | undefined {
  if (found.kind === "unknown")
    return `The layout of the venue's Redis is not known to this program (${found.text.slice(0, 40)}).`;
  if (found.kind === "none" || found.layout <= LAYOUT) return undefined;
  return `The venue's Redis has layout ${found.layout}, this program knows ${LAYOUT}: start the newer program.`;
}

/** Why the store must not be traded on as it is, in a sentence. Marks an empty store with this program's layout. */
export async function faultOfLayout(redis: Redis): Promise<string | undefined> {
  const found = await readLayout(redis);
  const foreign = foreignLayout(found);
  if (foreign !== undefined) return foreign;
  if (found.kind === "none") await redis.set(FORMAT_KEY, LAYOUT, "NX");
  if (found.kind !== "layout" || found.layout === LAYOUT) return undefined;
  return `The venue's Redis has layout ${found.layout} of an earlier version: start the venue to upgrade it.`;
}
