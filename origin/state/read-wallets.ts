import type { Redis } from "ioredis";
import { replies } from "../redis/pipeline.ts";
import { WALLETS_KEY, walletKey } from "./keys.ts";

const PAGE = 500;

type StoredWallet = { readonly user: string; readonly wallet: Readonly<Record<string, string>> };

/**
 * All wallets, a page at a time. A page and the names of the next one take one round trip, and the next page is on its
 * way while the reader works on this one: so neither Redis nor the reader waits for the other.
 */
export async function* readWallets(redis: Redis): AsyncGenerator<StoredWallet> {
  let users: readonly string[] = [];
  let reading = readPage(redis, users, "0");
  for (;;) {
    const page = await reading;
    const isLast = page.cursor === "0" && page.nextUsers.length === 0;
    // Requested before this page is processed. Its error surfaces when it is awaited.
    if (!isLast) {
      reading = readPage(redis, page.nextUsers, page.cursor === "0" ? undefined : page.cursor);
      reading.catch(() => {});
    }
    for (const [index, user] of users.entries()) yield { user, wallet: page.wallets[index] ?? {} };
    if (isLast) return;
    users = page.nextUsers;
  }
}

type Page = {
  readonly wallets: readonly Record<string, string>[];
  readonly nextUsers: readonly string[];
  readonly cursor: string;
};

/** Without a cursor there are no more names. */
async function readPage(redis: Redis, users: readonly string[], cursor: string | undefined): Promise<Page> {
  const pipeline = redis.pipeline();
  for (const user of users) pipeline.hgetall(walletKey(user));
  if (cursor !== undefined) pipeline.sscan(WALLETS_KEY, cursor, "COUNT", PAGE);
  const all = await replies(pipeline);
  const wallets = all.slice(0, users.length) as readonly Record<string, string>[];
  const [next, nextUsers] = cursor === undefined ? ["0", []] : (all[users.length] as [string, string[]]);
  return { wallets, nextUsers, cursor: next };
}
