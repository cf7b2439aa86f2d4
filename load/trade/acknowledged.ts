import type { Random } from "../../test/sim/random.ts";

/** An order as the venue has acknowledged it: what it must still know later. */
export type AcknowledgedOrder = {
  readonly id: string;
  /** Index of the trader. */
  readonly trader: number;
  readonly clientOrderId: string;
  readonly filledQuantity: string;
  readonly status: string;
  isCancelled: boolean;
};

/** Remembers acknowledged orders, all of them up to a bound, then a fair sample: every order has the same chance to be in it. */
export type Acknowledged = {
  readonly add: (order: AcknowledgedOrder) => void;
  readonly count: () => number;
  readonly remembered: () => readonly AcknowledgedOrder[];
};

/** Asking for as many takes the venue some seconds. */
const REMEMBERED_MAX = 20_000;

export function rememberAcknowledged(random: Random, rememberedMax = REMEMBERED_MAX): Acknowledged {
  const orders: AcknowledgedOrder[] = [];
  let count = 0;
  return {
    add(order) {
      count++;
      if (orders.length < rememberedMax) return void orders.push(order);
      const place = random.between(0, count - 1);
      if (place < rememberedMax) orders[place] = order;
    },
    count: () => count,
    remembered: () => orders,
  };
}
