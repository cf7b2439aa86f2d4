import type { AuctionProgress } from "../../engine/auction/auction.ts";
import { type Clearing, clearingOf } from "../../engine/auction/clearing-price.ts";
import type { PairRow } from "../../engine/changes.ts";
import { type Grid, priceText, quantityText } from "../../instruments/grid.ts";
import type { BookLevels } from "./book-levels.ts";

/**
 * A pair's auction for readers (`v1:auction:<pair>`): while orders are collected, the price, volume and surplus at which
 * it would open now; after the opening, its result. Computed beside the book's snapshot, not in the engine.
 */
export type AuctionSnapshot = {
  readonly state: "collecting" | "halted" | "opening" | "opened";
  readonly number: number;
  readonly opensAt: number | null;
  /** From when on orders cannot be cancelled. */
  readonly freezesAt: number | null;
  readonly referencePrice: string | null;
  /** Null when no buyer meets a seller, and after the bell. */
  readonly indicative: {
    readonly price: string;
    readonly volume: string;
    readonly surplus: string;
    readonly surplusSide: "buy" | "sell" | null;
  } | null;
  /** Of the last auction that has opened; its price is null if nothing traded. */
  readonly result: {
    readonly price: string | null;
    readonly volume: string;
    readonly trades: number;
    readonly openedAt: number;
  } | null;
};

/** Undefined for a pair that never had an auction. */
export function auctionSnapshot(row: PairRow, levels: BookLevels, grid: Grid): AuctionSnapshot | undefined {
  const { auction, opensAt, freezeMs } = row;
  if (auction.number === 0) return undefined;
  const state = stateOf(row);
  const referenceTicks = state === "opened" || state === "opening" ? auction.referenceTicks : row.lastTicks;
  const crossing = state === "collecting" || state === "halted" ? levels.crossing(row.pair) : undefined;
  const clearing = crossing && clearingOf({ ...crossing, referenceTicks });
  return {
    state,
    number: auction.number,
    opensAt: opensAt === 0 ? null : opensAt,
    freezesAt: opensAt === 0 ? null : opensAt - freezeMs,
    referencePrice: referenceTicks === 0 ? null : priceText(referenceTicks, grid),
    indicative: clearing === undefined ? null : indicativeOf(clearing, grid),
    result: state === "opened" ? resultOf(auction, grid) : null,
  };
}

/** When a pair's auction is written again: while it is on, at most ten times a second; then once. */
export type AuctionPace = {
  readonly isDue: (row: PairRow) => boolean;
  readonly note: (row: PairRow, tookMs: number) => void;
};

/** The share of a worker's time that indicative prices may take: a crowd at hundreds of thousands of prices slows them. */
const SHARE = 0.05;

export function createAuctionPace(): AuctionPace {
  const written = new Map<string, { readonly phase: string; readonly nextAtMs: number }>();
  return {
    isDue({ pair, state, auction: { number, phase } }) {
      const last = written.get(pair);
      if (number === 0) return false;
      if (last === undefined || last.phase !== `${number} ${phase} ${state}`) return true;
      return phase !== "none" && performance.now() >= last.nextAtMs;
    },
    note({ pair, state, auction: { number, phase } }, tookMs) {
      written.set(pair, { phase: `${number} ${phase} ${state}`, nextAtMs: performance.now() + tookMs / SHARE });
    },
  };
}

function stateOf({ state, auction: { phase } }: PairRow): AuctionSnapshot["state"] {
  if (phase === "none") return "opened";
  if (phase !== "collecting") return "opening";
  return state === "halted" ? "halted" : "collecting";
}

function indicativeOf({ ticks, lots, surplus }: Clearing, grid: Grid): AuctionSnapshot["indicative"] {
  const side = surplus > 0n ? "buy" : "sell";
  return {
    price: priceText(ticks, grid),
    volume: quantityText(lots, grid),
    surplus: quantityText(surplus < 0n ? -surplus : surplus, grid),
    surplusSide: surplus === 0n ? null : side,
  };
}

function resultOf({ ticks, lots, trades, rungAt }: AuctionProgress, grid: Grid): AuctionSnapshot["result"] {
  const price = ticks === 0 ? null : priceText(ticks, grid);
  return { price, volume: quantityText(lots, grid), trades, openedAt: rungAt };
}
