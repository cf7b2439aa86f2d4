import { assert } from "../../../shared/assert.ts";
import type { Bar } from "../../market/candles/bar.ts";
import { candleOf } from "../../market/candles/candle-view.ts";
import { bucketEnd, type Frame } from "../../market/candles/frames.ts";
import type { LivePairMarket } from "./live-market.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";

/** In a snapshot: the open bar, and the one before it. */
const BARS_SHOWN = 2;

/**
 * `candles:<pair>:<tf>`: the bars that have changed, complete, ascending. A bar comes again as closed when the journal's
 * time has passed its end. A bar's time never goes back.
 */
export function createCandlesChannel(
  { pair, frame, market }: { readonly pair: string; readonly frame: Frame; readonly market: LivePairMarket },
  memory: LiveMemory,
): PublicChannel {
  let flushedSequence = memory.position.sequence;
  let flushedAt = memory.at;

  function dataOf(bars: readonly Bar[]): string {
    const row = memory.pairs.get(pair);
    assert(row !== undefined, "the pair of a candles' channel is known");
    const scales = memory.grids.of(pair, row.grid);
    return JSON.stringify({ candles: bars.map((bar) => candleOf(bar, { frame, scales, journalAt: memory.at })) });
  }

  /** The newest bar, if it has ended since a time without another trade. */
  function closedSince(at: number): readonly Bar[] {
    return market.newest(frame, 1).filter(({ openTime }) => {
      const end = bucketEnd(frame, openTime);
      return end > at && end <= memory.at;
    });
  }

  const snapshot = () => dataOf(market.newest(frame, BARS_SHOWN));

  return {
    name: `candles:${pair}:${frame}`,
    pace: "slow",
    isDirty: () => market.sequence() > flushedSequence || closedSince(flushedAt).length > 0,
    flush() {
      const changed = market.changedSince(frame, flushedSequence);
      const bars = changed?.length === 0 ? closedSince(flushedAt) : changed;
      flushedSequence = memory.position.sequence;
      flushedAt = memory.at;
      return bars === undefined ? { type: "reset", data: snapshot() } : { type: "update", data: dataOf(bars) };
    },
    snapshot,
    since(sequence) {
      const bars = market.changedSince(frame, sequence);
      if (bars === undefined) return undefined;
      // The reader may have the newest bar as open.
      return dataOf(bars.length === 0 ? market.newest(frame, 1) : bars);
    },
  };
}
