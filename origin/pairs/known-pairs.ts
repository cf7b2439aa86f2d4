import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../shared/assert.ts";
import { currencyFrom, pairFrom, type ReadFields } from "../commit/row-fields.ts";
import type { CurrencyRow } from "../engine/changes.ts";
import { CURRENCIES_KEY, PAIRS_KEY } from "../projections/keys.ts";
import { replies } from "../redis/pipeline.ts";
import type { KnownPair } from "./pair-numbers.ts";

/**
 * Pairs and currencies as this process knows them: read every 400 ms, so that no order waits for it. An order that was counted in ticks
 * or lots of before is refused by the engine, never misread. With Redis away the last known holds.
 */
export type KnownPairs = {
  readonly pair: (pair: string) => KnownPair | undefined;
  /** With the ticks and lots that it had in this grid, which may have changed since. */
  readonly inGrid: (pair: string, grid: number) => KnownPair;
  readonly all: () => readonly KnownPair[];
  /** For what was read from Redis: its pair is there by then, and is read where this process has not met it yet. */
  readonly meet: (pairs: readonly string[]) => Promise<void>;
  /** Whether they were read at all. */
  readonly areRead: () => boolean;
  readonly currency: (currency: string) => CurrencyRow | undefined;
  /** Reads now; those who ask together share one reading. */
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
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
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
    pair: (pair) => pairs.get(pair),
    inGrid(pair, grid) {
      const known = grids.get(`${pair} ${grid}`);
      assert(known !== undefined, "a grid that an order was placed in is known");
      return known;
    },
    all: () => [...pairs.values()],
    async meet(names) {
      if (names.some((name) => !pairs.has(name))) await refresh();
    },
    areRead: () => areRead,
    currency: (currency) => currencies.get(currency),
    refresh,
    stop: () => clearTimeout(timer),
  };
}

function rowsOf(reply: unknown): readonly ReadFields[] {
  return (reply as readonly string[]).map((text) => JSON.parse(text) as ReadFields);
}
