import { createDayWindow } from "../summary/day-window.ts";
import { summaryHashFields } from "../summary/market-round.ts";
import { type BestPrices, summaryOf } from "../summary/summary.ts";
import type { NaiveMinutes } from "./naive-minutes.ts";
import type { PairSnapshot } from "./read-snapshots.ts";

type Comparison = {
  readonly snapshot: PairSnapshot;
  /** Up to the entry that the summary was made at. */
  readonly naive: NaiveMinutes;
  readonly isFull: boolean;
  readonly find: (sentence: string) => void;
};

/** The figures of trades; the best prices are the book's. A summary that has expired says nothing. */
export function compareSummary({ snapshot: { pair, summary }, naive, isFull, find }: Comparison): void {
  const scales = naive.scales();
  if (summary === undefined || scales === undefined) return;
  const at = Number(summary.fields["timestamp"]);
  const window = createDayWindow();
  for (const minute of naive.bars()) {
    window.put(minute);
    // Only to keep the window short; the last step counts.
    window.moveTo(minute.openTime);
  }
  window.moveTo(at);
  // Without older trades the last price may be unknown.
  if (!isFull && window.read() === undefined) return;
  const best: BestPrices = { bestBid: null, bestAsk: null, bidVolume: "", askVolume: "" };
  const should = summaryOf({ pair: scales, lastPrice: window.lastPrice(), day: window.read(), best, at });
  const expected = summaryHashFields(should);
  for (let place = 0; place < expected.length; place += 2) {
    const [name, value] = [String(expected[place]), String(expected[place + 1])];
    if (OF_THE_BOOK.has(name) || summary.fields[name] === value) continue;
    find(`${pair}: ${name} is ${summary.fields[name] ?? "missing"} in Redis, ${value} by the ledger`);
  }
}

const OF_THE_BOOK: ReadonlySet<string> = new Set(["best_bid", "best_ask", "bid_volume", "ask_volume"]);
