import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../shared/assert.ts";
import { currencyFrom, pairFrom, type ReadFields } from "../commit/row-fields.ts";
import type { CurrencyRow } from "../engine/changes.ts";
import { CURRENCIES_KEY, PAIRS_KEY } from "../projections/keys.ts";
import { replies } from "../redis/pipeline.ts";
import type { KnownPair } from "./pair-numbers.ts";

/**
 * Pairs and currencies as this process knows them: read every 400 ms, so that no order waits for it; a name that it does not know yet is
 * looked for at once, because another process may just have been told of it. An order that was counted in ticks or lots of before is
 * refused by the engine, never misread. With Redis away the last known holds.
 */
export type KnownPairs = {
  readonly findPair: (pair: string) => Promise<KnownPair | undefined>;
  readonly findCurrency: (currency: string) => Promise<CurrencyRow | undefined>;
  /** Before what was read from Redis is understood: its pairs are there by then. */
  readonly meetPairs: (pairs: readonly string[]) => Promise<void>;
  readonly meetCurrencies: (currencies: readonly string[]) => Promise<void>;
  /** Of those that were met. */
  readonly pair: (pair: string) => KnownPair | undefined;
  readonly currency: (currency: string) => CurrencyRow | undefined;
  /** With the ticks and lots that it had in this grid, which may have changed since. Undefined where this process never saw that grid. */
  readonly inGrid: (pair: string, grid: number) => KnownPair | undefined;
  readonly all: () => readonly KnownPair[];
  /** Whether they were read at all. */
  readonly areRead: () => boolean;
  /** Reads now, and never joins a reading that began before; those who wait share the next one. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
};

const LOOK_EVERY_MS = 400;

export function openKnownPairs({ redis, log }: { readonly redis: Redis; readonly log: Logger }): KnownPairs {
  let currencies = new Map<string, CurrencyRow>();
  let pairs = new Map<string, KnownPair>();
  /** Grids change by an admin's hand alone, so that there are never many. */
  const grids = new Map<string, KnownPair>();
  let reading: Promise<void> | undefined;
  let nextReading: Promise<void> | undefined;
  let areRead = false;

  async function read(): Promise<void> {
    const [currencyRows, pairRows] = await replies(redis.pipeline().hvals(CURRENCIES_KEY).hvals(PAIRS_KEY));
    const scales = rowsOf(currencyRows).map(currencyFrom);
    currencies = new Map(scales.map((row) => [row.currency, row]));
    pairs = new Map(
      rowsOf(pairRows)
        .map(pairFrom)
        .toSorted((a, b) => (a.pair < b.pair ? -1 : 1))
        .map((row) => [row.pair, { ...row, baseScale: scaleOf(row.baseCurrency), quoteScale: scaleOf(row.quoteCurrency) }]),
    );
    for (const pair of pairs.values()) grids.set(`${pair.pair} ${pair.grid}`, pair);
    areRead = true;
  }

  function scaleOf(currency: string): number {
    const row = currencies.get(currency);
    assert(row !== undefined, "a pair's currencies are told before it");
    return row.scale;
  }

  function refresh(): Promise<void> {
    if (reading !== undefined) {
      nextReading ??= reading.then(begin, begin);
      return nextReading;
    }
    return begin();
  }

  function begin(): Promise<void> {
    nextReading = undefined;
    const begun = read().finally(() => {
      if (reading === begun) reading = undefined;
    });
    reading = begun;
    return begun;
  }

  async function meetPairs(names: readonly string[]): Promise<void> {
    if (names.some((name) => !pairs.has(name))) await refresh();
  }

  async function meetCurrencies(names: readonly string[]): Promise<void> {
    if (names.some((name) => !currencies.has(name))) await refresh();
  }

  async function look(): Promise<void> {
    try {
      await refresh();
    } catch (error) {
      log.debug({ err: error }, "the pairs could not be read");
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();
  return {
    async findPair(pair) {
      await meetPairs([pair]);
      return pairs.get(pair);
    },
    async findCurrency(currency) {
      await meetCurrencies([currency]);
      return currencies.get(currency);
    },
    meetPairs,
    meetCurrencies,
    pair: (pair) => pairs.get(pair),
    currency: (currency) => currencies.get(currency),
    inGrid: (pair, grid) => grids.get(`${pair} ${grid}`),
    all: () => [...pairs.values()],
    areRead: () => areRead,
    refresh,
    stop: () => clearTimeout(timer),
  };
}

function rowsOf(reply: unknown): readonly ReadFields[] {
  return (reply as readonly string[]).map((text) => JSON.parse(text) as ReadFields);
}
