import { SHARD } from "../journal/keys.ts";

/** The open sockets of a user: a set of connection ids. */
export const connectionsKey = (userId: string) => `ws:connections:${userId}`;
/** One socket: user, times, subscriptions. */
export const connectionKey = (connectionId: string) => `ws:connection:${connectionId}`;

/** The lease of the process that publishes for other programs. */
export const PUBLISHER_KEY = `${SHARD}:publisher`;

/** Redis channels, not keys: for other programs of the operator. */
export const MARKET_UPDATES_CHANNEL = "market:updates";
export const ORDER_UPDATES_PREFIX = "order:updates:";
export const SYSTEM_NOTIFICATIONS_CHANNEL = "system:notifications";
