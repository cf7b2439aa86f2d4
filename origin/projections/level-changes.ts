import type { Level } from "./sorted-levels.ts";

/** A level as it is now; without lots when it is gone. */
export type LevelChange = { readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: bigint; readonly grid: number };

/**
 * Which levels of a book have changed, in order, as far back as `HELD_MAX` changes: enough to tell a reader who was here a moment ago
 * only the difference. A version is the number of changes so far.
 */
export type LevelChanges = {
  readonly note: (side: "buy" | "sell", ticks: number) => void;
  readonly version: () => number;
  /** Each changed level once; undefined when the version is older than what is held, or not one of this book. */
  readonly since: (version: number) => readonly LevelChange[] | undefined;
};

/** About a second of a busy pair; a reader who is further behind needs the whole book anyway. */
const HELD_MAX = 8_192;

export function createLevelChanges(levelAt: (side: "buy" | "sell", ticks: number) => Level | undefined): LevelChanges {
  /** Signed prices: below 0 is a bid. Prices are at least 1. */
  let held: number[] = [];
  let version = 0;

  return {
    note(side, ticks) {
      version++;
      held.push(side === "buy" ? -ticks : ticks);
      if (held.length >= 2 * HELD_MAX) held = held.slice(-HELD_MAX);
    },
    version: () => version,
    since(from) {
      const count = version - from;
      if (count < 0 || count > held.length) return undefined;
      const prices = new Set(count === 0 ? [] : held.slice(-count));
      return Array.from(prices, (signed) => {
        const side = signed < 0 ? "buy" : "sell";
        const ticks = Math.abs(signed);
        const level = levelAt(side, ticks);
        return { side, ticks, lots: level?.lots ?? 0n, grid: level?.grid ?? 0 };
      });
    },
  };
}
