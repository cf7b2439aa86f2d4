import type { Redis } from "ioredis";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { amountText } from "../pairs/pair-numbers.ts";
import { movementsKey, walletKey } from "../projections/keys.ts";

/** Balances and movements as the projection has them in Redis. */
export type WalletStore = {
  readonly balances: (user: string) => Promise<readonly Balance[]>;
  readonly balance: (user: string, currency: string) => Promise<Balance>;
  readonly history: (
    user: string,
    page: HistoryPage,
  ) => Promise<{ readonly entries: readonly HistoryEntry[]; readonly nextCursor: string | null }>;
};

type Balance = { readonly currency: string; readonly available: string; readonly frozen: string; readonly total: string };
type HistoryPage = { readonly cursor: string | undefined; readonly limit: number };

const storedSchema = z.object({
  id: z.string(),
  kind: z.enum(["deposit", "withdrawal", "transfer"]),
  direction: z.enum(["in", "out"]),
  currency: z.string(),
  amount: z.string(),
  reference: z.string(),
  at: z.int(),
});
type HistoryEntry = z.output<typeof storedSchema>;

/** As many as are kept. */
const HISTORY_MAX = 1_100;

export function openWalletStore({ redis, pairs }: { readonly redis: Redis; readonly pairs: KnownPairs }): WalletStore {
  function balanceOf(currency: string, text: string): Balance {
    const [available = "0", frozen = "0"] = text.split(",");
    const scale = pairs.currency(currency)?.scale;
    assert(scale !== undefined, "the currency of a balance is known");
    const total = amountText(stepsOf(available, scale) + stepsOf(frozen, scale), scale);
    return { currency, available, frozen, total };
  }

  return {
    async balances(user) {
      const wallet = await redis.hgetall(walletKey(user));
      await pairs.meetCurrencies(Object.keys(wallet));
      return Object.keys(wallet)
        .toSorted()
        .map((currency) => balanceOf(currency, wallet[currency] ?? ""));
    },
    balance: async (user, currency) => balanceOf(currency, (await redis.hget(walletKey(user), currency)) ?? "0,0"),
    async history(user, { cursor, limit }) {
      const all = (await redis.lrange(movementsKey(user), 0, HISTORY_MAX)).map((text) => storedSchema.parse(JSON.parse(text)));
      const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
      const entries = all.slice(from, from + limit);
      return { entries, nextCursor: all.length > from + limit ? (entries.at(-1)?.id ?? null) : null };
    },
  };
}

function stepsOf(text: string, scale: number): bigint {
  const parsed = parseMoney(text, scale);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
