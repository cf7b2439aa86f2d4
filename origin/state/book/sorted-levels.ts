import { assert } from "../../../shared/assert.ts";

/** How much rests at one price. */
export type Level = { readonly ticks: number; readonly lots: bigint; readonly grid: number };

/**
 * One side of a book, the best price first at all times, so that the best `n` are read without sorting. Prices are in
 * sorted blocks of limited length, and the blocks in a directory: a new or an emptied price moves at most one block and
 * the directory; a change at a known price moves nothing. Memory is proportional to the levels, because two
 * neighbouring blocks that fit into half a block become one.
 */
export type SortedLevels = {
  /** Adds lots to a price, or takes them away; a price without lots is no level. */
  readonly add: (ticks: number, lots: bigint, grid: number) => void;
  readonly at: (ticks: number) => Level | undefined;
  /** The best levels, best first. */
  readonly top: (count: number) => readonly Level[];
  /** The levels that are as good as this price, or better; best first. */
  readonly through: (ticks: number) => readonly Level[];
  readonly size: () => number;
  /** Elements read or moved so far: what the structure costs, independent of the machine. */
  readonly visits: () => number;
};

/** Moving so many numbers takes less than a microsecond; 200,000 levels are some 800 blocks. */
const BLOCK_MAX = 512;

export function createSortedLevels(side: "buy" | "sell"): SortedLevels {
  /** The best price has the lowest rank on both sides. */
  const sign = side === "buy" ? -1 : 1;
  const levels = new Map<number, Level>();
  /** Ranks in ascending order; no block is empty. */
  const blocks: number[][] = [];
  let visits = 0;

  /** The block of a rank: the last one that does not begin after it. */
  function blockOf(rank: number): number {
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      visits++;
      const middle = (low + high + 1) >>> 1;
      if ((blocks[middle]?.[0] as number) <= rank) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The place of the first rank in a block that is not lower. */
  function placeIn(block: readonly number[], rank: number): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      visits++;
      const middle = (low + high) >>> 1;
      if ((block[middle] as number) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function insert(rank: number): void {
    const at = blockOf(rank);
    const block = blocks[at];
    if (block === undefined) {
      blocks.push([rank]);
      return;
    }
    visits += block.length;
    block.splice(placeIn(block, rank), 0, rank);
    if (block.length <= BLOCK_MAX) return;
    visits += blocks.length;
    blocks.splice(at + 1, 0, block.splice(BLOCK_MAX / 2));
  }

  function remove(rank: number): void {
    const at = blockOf(rank);
    const block = blocks[at];
    const place = block === undefined ? -1 : placeIn(block, rank);
    assert(block !== undefined && block[place] === rank, "a level that ends is in its block");
    visits += block.length;
    block.splice(place, 1);
    if (block.length === 0) dropBlock(at);
    else if (!joinNext(at) && at > 0) joinNext(at - 1);
  }

  function dropBlock(at: number): void {
    visits += blocks.length;
    blocks.splice(at, 1);
  }

  /** Joins small neighbouring blocks. */
  function joinNext(at: number): boolean {
    const [block, next] = [blocks[at], blocks[at + 1]];
    if (block === undefined || next === undefined || block.length + next.length > BLOCK_MAX / 2) return false;
    visits += next.length;
    block.push(...next);
    dropBlock(at + 1);
    return true;
  }

  /** Best first, until a level is not wanted. */
  function collect(isWanted: (rank: number, count: number) => boolean): readonly Level[] {
    const best: Level[] = [];
    for (const block of blocks) {
      for (const rank of block) {
        if (!isWanted(rank, best.length)) return best;
        visits++;
        const level = levels.get(sign * rank);
        assert(level !== undefined, "a price in a block has a level");
        best.push(level);
      }
    }
    return best;
  }

  return {
    add(ticks, lots, grid) {
      const before = levels.get(ticks);
      const sum = (before?.lots ?? 0n) + lots;
      visits++;
      if (sum !== 0n) levels.set(ticks, { ticks, lots: sum, grid });
      else levels.delete(ticks);
      if (before === undefined && sum !== 0n) insert(sign * ticks);
      if (before !== undefined && sum === 0n) remove(sign * ticks);
    },
    at: (ticks) => levels.get(ticks),
    top: (count) => collect((_rank, taken) => taken < count),
    through: (ticks) => collect((rank) => rank <= sign * ticks),
    size: () => levels.size,
    visits: () => visits,
  };
}
