/**
 * One candle with integers only, so that merging bars is exact and gives the same result in any grouping. Prices are in
 * steps of the quote currency for one whole unit of the base currency, because ticks change their meaning with the
 * pair's grid. Trades are numbered per pair without gaps, so a bar says exactly which trades it holds. A bar that was
 * handed out never changes.
 */
export type Bar = {
  /** When its bucket begins. */
  readonly openTime: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  /** In steps of the base currency. */
  readonly volume: bigint;
  /** In steps of the quote currency. */
  readonly quoteVolume: bigint;
  readonly trades: number;
  /** The part of the volumes that buyers took. */
  readonly takerBuyVolume: bigint;
  readonly takerBuyQuoteVolume: bigint;
  /** The pair's numbers of the first and the last trade. */
  readonly firstTrade: number;
  readonly lastTrade: number;
};

export type MutableBar = { -readonly [Field in keyof Bar]: Bar[Field] };

/** Adds a later bar of the same bucket. */
export function mergeInto(bar: MutableBar, later: Bar): void {
  if (later.high > bar.high) bar.high = later.high;
  if (later.low < bar.low) bar.low = later.low;
  bar.close = later.close;
  bar.volume += later.volume;
  bar.quoteVolume += later.quoteVolume;
  bar.trades += later.trades;
  bar.takerBuyVolume += later.takerBuyVolume;
  bar.takerBuyQuoteVolume += later.takerBuyQuoteVolume;
  bar.lastTrade = later.lastTrade;
}

export function merged(bar: Bar, later: Bar): Bar {
  const sum = { ...bar };
  mergeInto(sum, later);
  return sum;
}

/** Merges ascending bars into the buckets of a coarser frame. */
export function mergeUpward(bars: readonly Bar[], bucketStartOf: (at: number) => number): readonly Bar[] {
  const coarse: MutableBar[] = [];
  let last: MutableBar | undefined;
  for (const bar of bars) {
    const openTime = bucketStartOf(bar.openTime);
    if (last?.openTime === openTime) mergeInto(last, bar);
    else {
      last = { ...bar, openTime };
      coarse.push(last);
    }
  }
  return coarse;
}

/** Whether two bars are equal to the last unit. */
export function areEqual(a: Bar, b: Bar): boolean {
  return BAR_FIELDS.every((field) => a[field] === b[field]);
}

const BAR_FIELDS = [
  ...(["openTime", "open", "high", "low", "close", "volume", "quoteVolume", "trades"] as const),
  ...(["takerBuyVolume", "takerBuyQuoteVolume", "firstTrade", "lastTrade"] as const),
] as const satisfies readonly (keyof Bar)[];
