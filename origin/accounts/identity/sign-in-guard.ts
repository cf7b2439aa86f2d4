import type { Redis } from "ioredis";
import type { LimitVerdict } from "../../../shared/http/limit.ts";
import { replies } from "../../redis/pipeline.ts";
import type { StoreLimitName } from "../limits/limit-table.ts";
import type { StoreLimits } from "../limits/store-limits.ts";
import { addressesKey } from "./keys.ts";
import type { Hide } from "./secrets.ts";

/**
 * Limits password attempts: per address, and per account from addresses that its owner never signed in from. Strangers
 * cannot lock the owner out: an address with an earlier sign-in has its own count, and an open session needs no
 * password. An attempt is counted before the password is checked and given back when it was right.
 */
export type SignInGuard = {
  readonly begin: (attempt: Attempt) => Promise<Allowance>;
};

export type Attempt = { readonly address: string; readonly loginName: string; readonly userId: string | undefined };

type Allowance =
  | { readonly isAllowed: false; readonly verdict: LimitVerdict }
  /** To be called when the password was right. */
  | { readonly isAllowed: true; readonly wasRight: () => Promise<void> };

const ADDRESSES_MAX = 10;
const ADDRESS_KEPT_SECONDS = 90 * 24 * 60 * 60;
/** Stands for an account that does not exist. */
const NOBODY = "nobody";

type GuardParts = {
  readonly redis: Redis;
  readonly limits: StoreLimits;
  readonly hide: Hide;
  readonly nowMs: () => number;
};

export function createSignInGuard({ redis, limits, hide, nowMs }: GuardParts): SignInGuard {
  async function remember(userId: string, address: string): Promise<void> {
    const key = addressesKey(userId);
    const pipeline = redis.pipeline().zadd(key, nowMs(), address);
    await replies(pipeline.zremrangebyrank(key, 0, -ADDRESSES_MAX - 1).expire(key, ADDRESS_KEPT_SECONDS));
  }

  return {
    async begin({ address: plainAddress, loginName, userId }) {
      const address = hide(plainAddress);
      const account = hide(loginName);
      const isFamiliar = (await redis.zscore(addressesKey(userId ?? NOBODY), address)) !== null;
      const wanted: readonly (readonly [StoreLimitName, string])[] = [
        ["loginPair", `${account}.${address}`],
        ["loginAddress", address],
        ...(isFamiliar ? [] : [["loginAccount", account] as const]),
      ];
      const verdicts = await Promise.all(wanted.map(([name, identity]) => limits.take(name, identity)));
      const over = verdicts.find(({ isOver }) => isOver);
      const giveBack = (pairs: typeof wanted) =>
        Promise.all(pairs.map(([name, identity]) => limits.giveBack(name, identity)));
      if (over !== undefined) {
        // An attempt that one count refuses is not added to the others, or a stranger could use up the owner's.
        await giveBack(wanted.filter((_, index) => verdicts[index]?.isOver === false));
        return { isAllowed: false, verdict: over };
      }
      return {
        isAllowed: true,
        wasRight: async () => {
          await giveBack(wanted);
          if (userId !== undefined) await remember(userId, address);
        },
      };
    },
  };
}
