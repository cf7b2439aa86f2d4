import type { CommandBody, Submitted } from "../../origin/commands/commands.ts";
import type { PlaceOrder } from "../../origin/engine/command.ts";

/**
 * What a busy pair sees: half of the commands are orders that come to rest, three in ten trade at once, two in ten take an open order
 * back. Many users, one pair of the first ones; every number follows from the seed.
 */
export type OrderMix = {
  /** Money for everybody, before the clock runs. */
  readonly deposits: () => readonly CommandBody[];
  readonly next: () => CommandBody;
  /** Remembers what can be cancelled. */
  readonly note: (answer: Submitted) => void;
};

const MID_TICKS = 1_500_000;
const SPREAD_TICKS = 50;
const LOTS_MAX = 50;
const OPEN_HELD_MAX = 20_000;
const RESTING = 0.5;
const CROSSING = 0.8;

export function createOrderMix(seed: number, users: number): OrderMix {
  const random = createRandom(seed);
  const open: { readonly user: string; readonly orderId: number }[] = [];
  const userAt = (index: number) => `user-${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const below = (bound: number) => Math.floor(random() * bound);

  function place(isCrossing: boolean): PlaceOrder {
    const side = random() < 0.5 ? "buy" : "sell";
    const away = 1 + below(SPREAD_TICKS);
    const isBelowMid = (side === "buy") !== isCrossing;
    return {
      kind: "place",
      user: userAt(below(users)),
      pair: "btcidr",
      grid: 1,
      side,
      type: "limit",
      ticks: isBelowMid ? MID_TICKS - away : MID_TICKS + away,
      lots: 1 + below(LOTS_MAX),
      quoteAmount: 0n,
      timeInForce: isCrossing ? "IOC" : "GTC",
      postOnly: false,
      selfTrade: "cancelNewest",
      clientOrderId: "",
      openOrdersMax: 1_000_000,
    };
  }

  return {
    deposits: () =>
      Array.from({ length: users }, (_, index) => userAt(index)).flatMap((user) => [
        { kind: "deposit", user, currency: "idr", amount: 10n ** 15n, reference: "" },
        { kind: "deposit", user, currency: "btc", amount: 10n ** 13n, reference: "" },
      ]),
    next() {
      const kind = random();
      const cancelled = kind >= CROSSING ? open.pop() : undefined;
      if (cancelled !== undefined) return { kind: "cancel", ...cancelled, clientOrderId: "" };
      return place(kind >= RESTING && kind < CROSSING);
    },
    note(answer) {
      if (answer.kind !== "committed" || answer.outcome.kind !== "order") return;
      const { order } = answer.outcome;
      if (order.status !== "open" && order.status !== "partiallyFilled") return;
      // Anywhere among the others, so that not only the newest are taken back.
      const place = below(open.length + 1);
      const held = { user: order.user, orderId: order.id };
      const displaced = open[place];
      if (displaced === undefined) open.push(held);
      else {
        open[place] = held;
        if (open.length < OPEN_HELD_MAX) open.push(displaced);
      }
    },
  };
}

/** mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
