import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { amountText, stepsOf } from "../instruments/amounts.ts";
import type { History } from "../record/history/history.ts";
import { walletKey } from "../state/keys.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import type { Balance } from "./trading-port.ts";
import { createWalletHistory, type WalletHistory } from "./wallet-history.ts";

/** Balances from the projection in Redis, and the history of movements. */
export type WalletStore = {
  readonly balances: (user: string) => Promise<readonly Balance[]>;
  readonly balance: (user: string, currency: string) => Promise<Balance>;
  readonly history: WalletHistory;
};

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
