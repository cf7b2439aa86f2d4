import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { CurrencyRow } from "../engine/changes.ts";
import type { Grid, KnownPair } from "../instruments/grid.ts";
import { createGrids } from "../instruments/grids.ts";
import { currencyFrom, pairFrom, type ReadFields } from "../journal/row-fields.ts";
import { replies } from "../redis/pipeline.ts";
import { CURRENCIES_KEY, PAIRS_KEY } from "./keys.ts";

/**
 * Pairs and currencies as this process knows them: read every 400 ms, so that no order waits for it; an unknown name is
 * looked up at once, because another process may just have added it. An order counted in the ticks or lots of previous
 * terms is refused by the engine, never misread. While Redis is unavailable the last known terms count.
 */
export type KnownPairs = {
  readonly findPair: (pair: string) => Promise<KnownPair | undefined>;
  readonly findCurrency: (currency: string) => Promise<CurrencyRow | undefined>;
  /** Awaited before rows from Redis are interpreted: their pairs are known then. */
  readonly meetPairs: (pairs: readonly string[]) => Promise<void>;
  readonly meetCurrencies: (currencies: readonly string[]) => Promise<void>;
  /** Only of pairs that were met. */
  readonly pair: (pair: string) => KnownPair | undefined;
  readonly currency: (currency: string) => CurrencyRow | undefined;
  /**
   * With the ticks and lots that it had in this grid, which may have changed since. Undefined where this process never
   * saw that grid.
   */
  readonly inGrid: (pair: string, grid: number) => Grid | undefined;
  readonly all: () => readonly KnownPair[];
  /** Whether they were read at all. */
  readonly areRead: () => boolean;
  /** Reads now, and never joins a read that began before; waiting callers share the next one. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
};

const LOOK_EVERY_MS = 400;

export function openKnownPairs({ redis, log }: { readonly redis: Redis; readonly log: Logger }): KnownPairs {
  let currencies = new Map<string, CurrencyRow>();
  let pairs = new Map<string, KnownPair>();
  /** Only an admin changes grids, so there are never many. */
  const grids = createGrids();
  let reading: Promise<void> | undefined;
  let nextReading: Promise<void> | undefined;
  let areRead = false;

  async function read(): Promise<void> {
    const [currencyRows, pairRows] = await replies(redis.pipeline().hvals(CURRENCIES_KEY).hvals(PAIRS_KEY));
    const terms = { currencies: rowsOf(currencyRows).map(currencyFrom), pairs: rowsOf(pairRows).map(pairFrom) };
    grids.learn(terms);
    currencies = new Map(terms.currencies.map((row) => [row.currency, row]));
    const sorted = terms.pairs.toSorted((a, b) => (a.pair < b.pair ? -1 : 1));
    pairs = new Map(sorted.map((row) => [row.pair, { ...grids.of(row.pair, row.grid), ...row }]));
    areRead = true;
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
    inGrid: grids.find,
    all: () => [...pairs.values()],
    areRead: () => areRead,
    refresh,
    stop: () => clearTimeout(timer),
  };
}

function rowsOf(reply: unknown): readonly ReadFields[] {
  return (reply as readonly string[]).map((text) => JSON.parse(text) as ReadFields);
}
