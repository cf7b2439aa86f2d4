import type { Redis } from "ioredis";
import { afterAll, expect, vi } from "vitest";
import { OFFSET_KEY } from "../../origin/journal/keys.ts";
import { auditMarket, type MarketFacts } from "../../origin/market/audit/audit-market.ts";
import { MARKET_KEY } from "../../origin/market/keys.ts";
import { type MarketProjection, startMarketProjection } from "../../origin/market/market-projection.ts";
import { rebuildMarket } from "../../origin/market/rebuild-market.ts";
import type { KeptLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { openLedgerReader } from "../../origin/record/ledger/market-trades.ts";
import { type StateProjection, startStateProjection } from "../../origin/state/state-projection.ts";
import { type LedgerStores, openLedgerStores, silentLog, startLedger } from "../ledger/ledger-stores.ts";
import { createTradingWorld, putEntries, type TradingWorld } from "../ledger/trading-world.ts";

/** A seeded market whose journal is projected by the real parts: state, ledger and market data. */
export type MarketWorld = LedgerStores & {
  readonly world: TradingWorld;
  readonly ledger: KeptLedger;
  readonly state: StateProjection;
  /** Another process's projection; its own connections. */
  readonly project: (options?: { readonly flushMs?: number }) => MarketProjection & { readonly redis: Redis };
  /** Commits entries, without waiting for anything. */
  readonly commit: (entries: number) => Promise<void>;
  /** Until market data and ledger are at the end of the journal. */
  readonly settled: () => Promise<void>;
  readonly audit: () => Promise<{ readonly facts: MarketFacts; readonly faults: readonly string[] }>;
};

const TIMEOUT = { timeout: 30_000, interval: 10 };

type WorldOptions = Parameters<typeof createTradingWorld>[0] & { readonly atMs: number };

export async function openMarketWorld(options: WorldOptions): Promise<MarketWorld> {
  const stores = await openLedgerStores("server");
  const world = createTradingWorld(options);
  const ledger = startLedger(stores);
  const { redis, connect, connectRaw, database } = stores;
  const parts = { redis: connect(), reader: connect(), writer: connectRaw(), feed: undefined, onProjected: () => {} };
  const state = startStateProjection({ ...parts, owner: "test.state", log: silentLog });
  const running: MarketProjection[] = [];
  afterAll(async () => {
    for (const projection of running) await projection.stop();
    await state.stop();
  });
  const nowMs = () => options.atMs;
  let owners = 0;

  return {
    ...stores,
    world,
    ledger,
    state,
    project({ flushMs = 10 } = {}) {
      const own = connect();
      const projection = startMarketProjection({
        ...{ redis: own, reader: connect(), writer: connectRaw(), feed: undefined, nowMs, log: silentLog, flushMs },
        owner: `test.${owners++}`,
        rebuild: (writes) =>
          rebuildMarket({ ledger: openLedgerReader(database), redis: own, writes, nowMs: nowMs(), log: silentLog }),
      });
      running.push(projection);
      return { ...projection, redis: own };
    },
    async commit(entries) {
      await putEntries(
        redis,
        Array.from({ length: entries }, () => world.next().entry),
      );
    },
    async settled() {
      const at = async () => [
        await redis.hget(MARKET_KEY, "sequence"),
        String(ledger.state().sequence),
        await redis.hget(OFFSET_KEY, "sequence"),
      ];
      const { sequence } = world.position();
      const end = String(sequence);
      await vi.waitFor(async () => expect(await at()).toEqual([end, end, end]), TIMEOUT);
    },
    async audit() {
      const faults: string[] = [];
      const find = (check: string, sentence: string) => void faults.push(`${check}: ${sentence}`);
      const facts = await auditMarket({ redis, ledger: openLedgerReader(database), find });
      return { facts, faults };
    },
  };
}
