import type { TradeRow } from "../../engine/changes.ts";
import { amountText } from "../../instruments/amounts.ts";
import { priceText, quantityText } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";

/** The last trades of a pair, with the journal entry of each, so that a recent reader gets exactly those it missed. */
export type TradeRing = {
  readonly add: (sequence: number, trade: TradeRow) => void;
  /** As JSON, the oldest first. Undefined when some of them are no longer held. */
  readonly between: (after: number, upTo: number) => readonly string[] | undefined;
  /** The newest ones, the oldest first. */
  readonly last: (count: number) => readonly string[];
  /** The entry of the newest trade. */
  readonly sequence: () => number;
};

type Held = { readonly sequence: number; readonly id: number; readonly trade: TradeRow | undefined; text: string };

/** About a second of a busy pair; older ones are read from the journal. */
const HELD_MAX = 1_000;

type RingParts = {
  readonly grids: Grids;
  /** Everything after this entry is added. */
  readonly from: number;
  /** Earlier trades, the oldest first, for snapshots. */
  readonly earlier: readonly { readonly id: number; readonly text: string }[];
};

export function createTradeRing({ grids, from, earlier }: RingParts): TradeRing {
  let held: Held[] = earlier.map(({ id, text }) => ({ sequence: 0, id, trade: undefined, text }));
  let completeFrom = from;
  let newest = from;

  function textOf(one: Held): string {
    if (one.trade !== undefined && one.text === "") one.text = tradeText(one.trade, grids);
    return one.text;
  }

  return {
    add(sequence, trade) {
      // The list of earlier trades may have been read later than the position that the ring begins at.
      if (trade.id <= (held.at(-1)?.id ?? 0)) return;
      held.push({ sequence, id: trade.id, trade, text: "" });
      newest = sequence;
      if (held.length < 2 * HELD_MAX) return;
      held = held.slice(-HELD_MAX);
      completeFrom = held[0]?.sequence ?? sequence;
    },
    between(after, upTo) {
      if (after < completeFrom) return undefined;
      const first = held.findLastIndex(({ sequence }) => sequence <= after) + 1;
      return held
        .slice(first)
        .filter(({ sequence }) => sequence <= upTo)
        .map(textOf);
    },
    last: (count) => held.slice(-count).map(textOf),
    sequence: () => newest,
  };
}

/** As `GET /market/{pair}/trades` shows it. None of its texts needs escaping. */
export function tradeText(trade: TradeRow, grids: Grids): string {
  const grid = grids.of(trade.pair, trade.grid);
  return (
    `{"id":"${trade.id}","price":"${priceText(trade.ticks, grid)}","quantity":"${quantityText(trade.lots, grid)}",` +
    `"value":"${amountText(trade.value, grid.quoteScale)}","takerSide":"${trade.takerSide}","at":${trade.at}}`
  );
}
