import { SHARD } from "../journal/keys.ts";

/** Keys of the projections; `docs/redis-keys.md` describes their contents. */
export const PROJECTED_KEY = `${SHARD}:projected`;
/** The lease of the worker that projects. */
export const PROJECTOR_KEY = `${SHARD}:projector`;
export const PAIRS_KEY = `${SHARD}:pairs`;
export const CURRENCIES_KEY = `${SHARD}:currencies`;
export const USERS_KEY = `${SHARD}:users`;
/** Order lists: active ones, and ended ones until they are forgotten with their orders. */
export const LISTS_KEY = `${SHARD}:lists`;
export const userListsKey = (user: string) => `${SHARD}:lists:user:${user}`;
export const WALLETS_KEY = `${SHARD}:wallets`;
export const walletKey = (user: string) => `${SHARD}:wallet:${user}`;
export const orderKey = (orderId: number) => `${SHARD}:order:${orderId}`;
export const openOrdersKey = (user: string) => `${SHARD}:orders:open:${user}`;
/** Orders that wait for their trigger or for the working order of their list: not in the book. */
export const pendingOrdersKey = (user: string) => `${SHARD}:orders:pending:${user}`;
export const userOrdersKey = (user: string) => `${SHARD}:orders:user:${user}`;
/** In the lists of a user's orders and order lists, at the score of an id: those up to that id may have left Redis. */
export const ORDERS_BELOW_MEMBER = "below";
/**
 * `orders`, `lists` and `trades`: up to this id the users' lists may be incomplete after a restore or an upgrade;
 * `movements`: 1 likewise.
 */
export const BELOW_KEY = `${SHARD}:below`;
/** Ended orders and order lists that Redis still holds, in the order of their ending. */
export const ENDED_KEY = `${SHARD}:ended`;
/** How many were ever put into that list; `FORGOTTEN_KEY` counts those that have left it. */
export const ENDED_TOTAL_KEY = `${SHARD}:ended:total`;
export const FORGOTTEN_KEY = `${SHARD}:ended:forgotten`;
/**
 * Of the layout before: which lists of ended orders there are, one for each status and day. `lay-out-ended.ts` empties
 * them.
 */
export const OLD_ENDED_LISTS_KEY = `${SHARD}:orders:ended`;
export const bookKey = (pair: string) => `${SHARD}:book:${pair}`;
export const userTradesKey = (user: string) => `${SHARD}:trades:${user}`;
export const pairTradesKey = (pair: string) => `${SHARD}:trades:pair:${pair}`;
/** Deposits, withdrawals and transfers: a list of JSON, the newest first. */
export const movementsKey = (user: string) => `${SHARD}:movements:${user}`;
/** Names of a generation, spread over many small hashes. */
export const namesKey = (generation: number, bucket: number) => `${SHARD}:names:${generation}:${bucket}`;
/** How many commands each user has named in an hour. */
export const namedKey = (hour: number) => `${SHARD}:named:${hour}`;
/** Of the first layout: names of an hour, as JSON. */
export const referencesKey = (hour: number) => `${SHARD}:references:${hour}`;

/** Outside the shard's slot: for readers that do not know shards. */
export const pairConfigKey = (pair: string) => `config:pair:${pair}`;
/** The copy of the venue's settings. */
export const SYSTEM_KEY = "config:system";
/** The best prices of a book, as JSON. */
export const bookSnapshotKey = (pair: string) => `v1:book:snapshot:${pair}`;
/** A pair's auction, as JSON. */
export const auctionKey = (pair: string) => `v1:auction:${pair}`;
/** Up to 5,000 prices of each side, while a reader wants them. */
export const deepBookKey = (pair: string) => `v1:book:deep:${pair}`;
/** Pairs whose deep books readers want. */
export const WANTED_BOOKS_KEY = "v1:book:wanted";
export const lastPriceKey = (pair: string) => `v1:last_price:${pair}`;
