import type { Random } from "../../kit/random.ts";

/** An order as the venue acknowledged it and must still know later. */
export type AcknowledgedOrder = {
  readonly id: string;
  /** Index of the trader. */
  readonly trader: number;
  readonly clientOrderId: string;
  readonly filledQuantity: string;
  readonly status: string;
  isCancelled: boolean;
};

/** Remembers all acknowledged orders up to a bound, then a uniform sample (reservoir sampling). */
export type Acknowledged = {
  readonly add: (order: AcknowledgedOrder) => void;
  readonly count: () => number;
  readonly remembered: () => readonly AcknowledgedOrder[];
};

/** Reading that many back takes some seconds. */
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
