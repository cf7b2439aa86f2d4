import type { Redis } from "ioredis";
import { expect } from "vitest";
import type { Changes } from "../../origin/engine/changes.ts";
import { readJournal } from "../../origin/journal/journal.ts";
import { changesFrom } from "../../origin/journal/journal-body.ts";
import type { ChannelMessage } from "../../shared/live/messages.ts";

/** Messages that a client received on its private channels, in order. */
export type Received = {
  readonly note: (message: ChannelMessage) => void;
  readonly messages: readonly ChannelMessage[];
};

export function createReceived(): Received {
  const messages: ChannelMessage[] = [];
  return { messages, note: (message) => void messages.push(message) };
}

/** The whole journal, kept while it is written: it is trimmed after some minutes. */
export async function keepJournal(redis: Redis, kept: Map<number, Changes>): Promise<number> {
  for (;;) {
    const entries = await readJournal(redis, kept.size, 200);
    for (const { sequence, body } of entries) {
      expect(sequence).toBe(kept.size + 1);
      kept.set(sequence, changesFrom(body));
    }
    if (entries.length < 200) return kept.size;
  }
}

const EMPTY = { orders: [], balances: [], trades: [] };

/**
 * L2: after the first snapshot, the messages of each channel are exactly the user's rows of each journal entry, once
 * and in order, up to the channel's last message. The journal is read after the messages were copied: a switch or an
 * expiry may end orders at any time, and everything that was sent must be in it.
 */
export async function expectExactlyOnce(
  redis: Redis,
  journal: Map<number, Changes>,
  { user, received }: { readonly user: string; readonly received: Received },
): Promise<void> {
  const messages = [...received.messages];
  await keepJournal(redis, journal);
  for (const channel of ["orders", "balances", "trades"] as const) {
    const own = messages.filter((message) => message.channel === channel);
    expect(
      own
        .map(({ type }) => type)
        .slice(1)
        .filter((type) => type !== "update"),
      `${user} ${channel}`,
    ).toEqual([]);
    const [first, ...updates] = own;
    expect(first?.type).toBe("snapshot");
    const last = own.at(-1)?.seq ?? 0;
    const expected = [...journal]
      .filter(([seq]) => seq > (first?.seq ?? 0) && seq <= last)
      .flatMap(([seq, changes]) => {
        const keys = rowKeys(changes, user)[channel];
        return keys.length === 0 ? [] : [[seq, ...keys].join(" ")];
      });
    expect(updates.map(({ seq, data }) => [seq, ...shownKeys(channel, data)].join(" "))).toEqual(expected);
  }
}

function rowKeys(changes: Changes, user: string) {
  return {
    orders: changes.orders
      .filter((order) => order.user === user)
      .map(({ id, status, filledLots }) => `${id}:${status}:${filledLots > 0}`),
    balances: changes.balances.filter((balance) => balance.user === user).map(({ currency }) => currency),
    trades: changes.trades.flatMap(({ id, buyUser, sellUser }) => [
      ...(buyUser === user ? [`${id}:buy`] : []),
      ...(sellUser === user ? [`${id}:sell`] : []),
    ]),
  };
}

function shownKeys(channel: "orders" | "balances" | "trades", data: unknown): readonly string[] {
  const lists = { ...EMPTY, ...(data as object) } as Record<typeof channel, readonly Record<string, string>[]>;
  if (channel === "orders")
    return lists.orders.map(({ id, status, filledQuantity }) => `${id}:${status}:${filledQuantity !== "0"}`);
  if (channel === "balances") return lists.balances.map(({ currency }) => currency ?? "");
  return lists.trades.map(({ id, side }) => `${id}:${side}`);
}
