import type { Redis } from "ioredis";
import type { Grid } from "../../instruments/grid.ts";
import { WALLETS_KEY } from "../../state/keys.ts";
import { positionKey, positionPairsKey } from "../keys.ts";
import type { MarketTrade } from "../market-trade.ts";
import { NO_POSITION, type Position, positionAfter, positionText } from "../positions/position.ts";
import type { MarketCheck } from "./audit-market.ts";

/**
 * Compares positions with the ledger: a position says how many trades it was made from, so it is compared when the
 * recomputation has seen as many.
 */
export type PositionCheck = {
  readonly read: () => Promise<void>;
  readonly add: (trade: MarketTrade, grid: Grid) => void;
  readonly finish: () => void;
  readonly count: () => number;
};

type CheckParts = {
  readonly redis: Redis;
  readonly find: (check: MarketCheck, sentence: string) => void;
};

const USERS_PER_PAGE = 500;

export function createPositionCheck({ redis, find }: CheckParts): PositionCheck {
  const stored = new Map<string, { readonly text: string; readonly trades: number }>();
  const recomputed = new Map<string, Position>();

  async function readUsers(users: readonly string[]): Promise<void> {
    const pairs = await redis.pipeline(users.map((user) => ["smembers", positionPairsKey(user)])).exec();
    const keys = users.flatMap((user, place) =>
      ((pairs?.[place]?.[1] ?? []) as readonly string[]).map((pair) => positionKey(user, pair)),
    );
    if (keys.length === 0) return;
    const texts = await redis.mget(keys);
    for (const [place, key] of keys.entries()) {
      const text = texts[place] ?? "";
      stored.set(key, { text, trades: Number(text.split(",").at(-1)) });
    }
  }

  function apply(side: "buy" | "sell", trade: MarketTrade, grid: Grid): void {
    const key = positionKey(side === "buy" ? trade.buyUser : trade.sellUser, trade.pair);
    const fee = side === "buy" ? trade.buyFee : trade.sellFee;
    const quantity = BigInt(trade.lots) * grid.lotSteps;
    const after = positionAfter(recomputed.get(key) ?? NO_POSITION, { side, quantity, value: trade.value, fee });
    recomputed.set(key, after);
    const held = stored.get(key);
    if (held?.trades !== after.trades) return;
    const should = positionText(after, grid);
    if (held.text !== should) find("positions", `${key} is ${held.text} in Redis, ${should} by the ledger`);
  }

  return {
    async read() {
      for await (const page of redis.sscanStream(WALLETS_KEY, { count: USERS_PER_PAGE }) as AsyncIterable<string[]>)
        await readUsers([...new Set(page)]);
    },
    add(trade, grid) {
      apply("buy", trade, grid);
      apply("sell", trade, grid);
    },
    finish() {
      for (const [key, { text, trades }] of stored) {
        const seen = recomputed.get(key)?.trades ?? 0;
        if (!(trades <= seen))
          find("positions", `${key} is ${text} in Redis, and the ledger has ${seen} of its trades`);
      }
    },
    count: () => stored.size,
  };
}
