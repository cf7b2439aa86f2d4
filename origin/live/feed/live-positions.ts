import type { Redis } from "ioredis";
import { amountText } from "../../instruments/amounts.ts";
import type { Grid } from "../../instruments/grid.ts";
import { MARKET_KEY, positionKey, positionPairsKey } from "../../market/keys.ts";
import {
  averageEntryOf,
  NO_POSITION,
  type Position,
  positionAfter,
  positionFrom,
  unrealisedAt,
} from "../../market/positions/position.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { UserRows } from "./user-rows.ts";

type Known = Pick<LiveMemory, "grids" | "pairs" | "market">;

/** A user's positions as of one journal entry, kept up to date by the rule of the market's projection. */
export type LivePositions = {
  readonly sequence: number;
  /** The pairs whose position has changed. */
  readonly absorb: (rows: UserRows, memory: Known) => readonly string[];
  readonly show: (pairs: readonly string[] | "all", memory: Known) => readonly object[];
};

const READS_MAX = 5;

/** Read in one transaction, as the projection writes them: positions are sums, so their entry must be known exactly. */
export async function readPositions(redis: Redis, user: string): Promise<LivePositions> {
  for (let turn = 0; ; turn++) {
    const pairs = (await redis.smembers(positionPairsKey(user))).sort();
    const keys = pairs.map((pair) => positionKey(user, pair));
    const reading = redis.multi().hget(MARKET_KEY, "sequence").smembers(positionPairsKey(user));
    for (const key of keys) reading.get(key);
    const [sequence, after, ...texts] = ((await reading.exec()) ?? []).map(([error, reply]) => {
      if (error !== null) throw error;
      return reply;
    });
    const isWhole = (after as readonly string[]).toSorted().join() === pairs.join();
    if (isWhole || turn >= READS_MAX)
      return createPositions(Number(sequence ?? 0), pairs, texts as readonly (string | null)[]);
  }
}

function createPositions(sequence: number, pairs: readonly string[], texts: readonly (string | null)[]): LivePositions {
  const stored = new Map(pairs.map((pair, index) => [pair, texts[index] ?? null]));
  const positions = new Map<string, Position>();

  function gridOf(pair: string, { pairs: rows, grids }: Known): Grid {
    return grids.of(pair, rows.get(pair)?.grid ?? 0);
  }

  /** Texts are read when they are needed: by then the hub knows the pair. */
  function positionIn(pair: string, memory: Known): Position {
    const text = stored.get(pair) ?? null;
    return positions.get(pair) ?? (text === null ? NO_POSITION : positionFrom(text, gridOf(pair, memory)));
  }

  return {
    sequence,
    absorb({ trades }, memory) {
      for (const { trade, side } of trades) {
        const quantity = BigInt(trade.lots) * memory.grids.of(trade.pair, trade.grid).lotSteps;
        const fee = side === "buy" ? trade.buyFee : trade.sellFee;
        const after = positionAfter(positionIn(trade.pair, memory), { side, quantity, value: trade.value, fee });
        positions.set(trade.pair, after);
        stored.set(trade.pair, stored.get(trade.pair) ?? null);
      }
      return [...new Set(trades.map(({ trade }) => trade.pair))];
    },
    show(wanted, memory) {
      const names = wanted === "all" ? [...stored.keys()].sort() : wanted;
      return names.map((pair) =>
        positionView({ pair, position: positionIn(pair, memory), grid: gridOf(pair, memory) }, memory),
      );
    },
  };
}

type Shown = { readonly pair: string; readonly position: Position; readonly grid: Grid };

/** As `GET /positions` shows it. */
function positionView({ pair, position, grid }: Shown, memory: Known): object {
  const { baseScale, quoteScale } = grid;
  const ticks = memory.pairs.get(pair)?.lastTicks ?? 0;
  const average = averageEntryOf(position, grid);
  const unrealised = ticks === 0 ? undefined : unrealisedAt(position, BigInt(ticks) * grid.tickSteps, grid);
  const quote = (steps: bigint | undefined) => (steps === undefined ? null : amountText(steps, quoteScale));
  return {
    pair,
    quantity: amountText(position.quantity, baseScale),
    averageEntry: quote(average),
    realised: quote(position.realised),
    unrealised: quote(unrealised),
    trades: position.trades,
  };
}
