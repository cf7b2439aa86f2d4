import type { Redis } from "ioredis";
import { queueKeys } from "../../../edge/line/keys.ts";
import { assert } from "../../../shared/assert.ts";
import type { CrowdLimits } from "../../verdict/line-score.ts";
import { countOvertaken, type Overtaken } from "../../verdict/overtaken.ts";
import type { CrowdVisitor } from "./line-crowd.ts";

type EntriesOptions = { readonly redis: Redis; readonly queueId: string; readonly limits: CrowdLimits };

/** Checks the entries from outside the line: the cap (G1), the rate (G2) and the order of entry (G13). */
export type Entries = {
  readonly joined: (visitor: CrowdVisitor) => void;
  readonly entered: (visitor: CrowdVisitor, enteredMs: number) => void;
  /** Occupied slots right after a call. */
  readonly look: (nowMs: number) => Promise<number>;
  readonly judge: (held: number) => void;
  readonly faults: () => { readonly overAdmissions: number; readonly overRate: number; readonly overtaken: Overtaken };
};

export function watchEntries({ redis, queueId, limits }: EntriesOptions): Entries {
  const { active } = queueKeys(queueId);
  const places = new Map<string, number>();
  const entries = new Map<string, number>();
  let overAdmissions = 0;

  function placeOf({ name }: Pick<CrowdVisitor, "name">): number {
    const place = places.get(name);
    assert(place !== undefined, "only visitors who joined enter");
    return place;
  }

  return {
    joined: ({ name }) => void places.set(name, places.size),
    entered: ({ name }, enteredMs) => void entries.set(name, enteredMs),
    look: (nowMs) => redis.zcount(active, `(${nowMs}`, "+inf"),
    judge: (held) => {
      overAdmissions = Math.max(overAdmissions, held - limits.maxActive);
    },
    faults: () => ({
      overAdmissions,
      overRate: mostOverRate([...entries.values()], limits),
      overtaken: countOvertaken(
        [...entries].map(([name, enteredMs]) => ({ place: placeOf({ name }), lane: 0, enteredMs, wasAway: false })),
      ),
    }),
  };
}

/** Entry times are rounded up to milliseconds. */
const ROUNDING_MS = 1;

/** The most entries beyond burst + rate × window, over all windows. */
export function mostOverRate(
  entriesMs: readonly number[],
  { rate, burst }: Pick<CrowdLimits, "rate" | "burst">,
): number {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const [index, atMs] of entriesMs.toSorted((one, other) => one - other).entries()) {
    least = Math.min(least, index - (rate * (atMs - ROUNDING_MS)) / 1_000);
    most = Math.max(most, index + 1 - (rate * atMs) / 1_000 - least - burst);
  }
  return most < 1e-6 ? 0 : most;
}
