import { seededRandom } from "../../../kit/random.ts";
import type { Submitted } from "../../../origin/commit/submit/commands.ts";
import type { CommandBody, PlaceOrder } from "../../../origin/engine/command.ts";

/**
 * The commands of a busy pair: half are resting orders, three in ten trade at once, two in ten cancel an open order.
 * Many users, one pair; every number follows from the seed.
 */
export type OrderMix = {
  /** Money for all users, before the measured time. */
  readonly deposits: () => readonly CommandBody[];
  readonly next: () => CommandBody;
  /** Remembers orders that can be cancelled. */
  readonly note: (answer: Submitted) => void;
};

export const MID_TICKS = 1_500_000;
const SPREAD_TICKS = 50;
const LOTS_MAX = 50;
const OPEN_HELD_MAX = 20_000;
const RESTING = 0.5;
const CROSSING = 0.8;

export const userAt = (index: number) => `user-${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;

export function createOrderMix(seed: number, users: number): OrderMix {
  const random = seededRandom(seed);
  const open: { readonly user: string; readonly orderId: number }[] = [];

  function place(isCrossing: boolean): PlaceOrder {
    const side = random.chance(0.5) ? "buy" : "sell";
    const away = random.between(1, SPREAD_TICKS);
    const isBelowMid = (side === "buy") !== isCrossing;
    return {
      kind: "place",
      user: userAt(random.between(0, users - 1)),
      pair: "btcidr",
      grid: 1,
      side,
      type: "limit",
      ticks: isBelowMid ? MID_TICKS - away : MID_TICKS + away,
      lots: random.between(1, LOTS_MAX),
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
      const kind = random.next();
      const cancelled = kind >= CROSSING ? open.pop() : undefined;
      if (cancelled !== undefined) return { kind: "cancel", ...cancelled, clientOrderId: "" };
      return place(kind >= RESTING && kind < CROSSING);
    },
    note(answer) {
      if (answer.kind !== "committed" || answer.outcome.kind !== "order") return;
      const { order } = answer.outcome;
      if (order.status !== "open" && order.status !== "partiallyFilled") return;
      // At a random position, so that not only the newest are cancelled.
      const place = random.between(0, open.length);
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
