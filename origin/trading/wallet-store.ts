import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { History } from "../history/history.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { amountText } from "../pairs/pair-numbers.ts";
import { walletKey } from "../projections/keys.ts";
import { createWalletHistory, type WalletHistory } from "./wallet-history.ts";

/** Balances as the projection has them in Redis, and what came in and went out. */
export type WalletStore = {
  readonly balances: (user: string) => Promise<readonly Balance[]>;
  readonly balance: (user: string, currency: string) => Promise<Balance>;
  readonly history: WalletHistory;
};

type Balance = { readonly currency: string; readonly available: string; readonly frozen: string; readonly total: string };

type StoreParts = { readonly redis: Redis; readonly pairs: KnownPairs; readonly history: History };

export function openWalletStore({ redis, pairs, history }: StoreParts): WalletStore {
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
    history: createWalletHistory({ redis, history }),
  };
}

function stepsOf(text: string, scale: number): bigint {
  const parsed = parseMoney(text, scale);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
