import { type LiveMemory, TRADES_SHOWN } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";

/** `trades:<pair>`: every trade once, in the order of their numbers; a snapshot has the last ones. */
export function createTradesChannel(pair: string, memory: LiveMemory): PublicChannel {
  const ring = memory.trades(pair);
  let flushedSequence = memory.position.sequence;

  const dataOf = (texts: readonly string[]) => `{"trades":[${texts.join()}]}`;
  const snapshot = () => dataOf(ring.last(TRADES_SHOWN));

  return {
    name: `trades:${pair}`,
    pace: "fast",
    isDirty: () => ring.sequence() > flushedSequence,
    flush() {
      const missed = ring.between(flushedSequence, Number.POSITIVE_INFINITY);
      flushedSequence = memory.position.sequence;
      return missed === undefined ? { type: "reset", data: snapshot() } : { type: "update", data: dataOf(missed) };
    },
    snapshot,
    since(sequence) {
      const missed = ring.between(sequence, flushedSequence);
      return missed === undefined ? undefined : dataOf(missed);
    },
    replays: { tradesOf: pair },
  };
}
