import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { AcknowledgedOrder } from "./acknowledged.ts";
import type { TradingPerson, VenueCalls } from "./venue-calls.ts";

export type AskedAgain = {
  /** Orders that the venue answered about. */
  readonly asked: number;
  readonly lost: number;
  readonly unanswered: number;
};

type Asking = {
  readonly orders: readonly AcknowledgedOrder[];
  readonly personOf: (trader: number) => TradingPerson;
  readonly call: VenueCalls;
  readonly nowMs: () => number;
};

const orderSchema = z.object({
  id: z.string(),
  clientOrderId: z.string().nullable(),
  status: z.string(),
  filledQuantity: z.string(),
});

/** Below the read limit of a trader. */
const AT_ONCE = 16;
const TRIES_MAX = 60;
const TRY_AGAIN_MS = 500;

/**
 * Reads acknowledged orders back. An order is lost if it is missing, another one, or less advanced than acknowledged.
 */
export async function askAgain({ orders, personOf, call, nowMs }: Asking): Promise<AskedAgain> {
  const left = orders.values();
  let [asked, lost, unanswered] = [0, 0, 0];

  async function ask(order: AcknowledgedOrder): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (tries > 0) await sleep(TRY_AGAIN_MS);
      const request = { kind: undefined, dueMs: nowMs(), method: "GET", path: `/orders/${order.id}` } as const;
      const { code, body } = await call({ ...request, person: personOf(order.trader) });
      const known = orderSchema.safeParse(body).data;
      // Any other answer is not about the order.
      if (known === undefined && code !== "order_not_found") continue;
      asked++;
      if (known === undefined || !isStill(order, known)) lost++;
      return;
    }
    unanswered++;
  }

  async function work(): Promise<void> {
    for (const order of left) await ask(order);
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { asked, lost, unanswered };
}

function isStill(order: AcknowledgedOrder, known: z.output<typeof orderSchema>): boolean {
  if (known.id !== order.id || known.clientOrderId !== order.clientOrderId) return false;
  if (amount(known.filledQuantity) < amount(order.filledQuantity)) return false;
  if (order.isCancelled) return known.status === "cancelled";
  return order.status === "filled" || order.status === "cancelled" ? known.status === order.status : true;
}

const SCALE_MAX = 18;

function amount(decimal: string): bigint {
  const parsed = parseMoney(decimal, SCALE_MAX);
  assert(parsed.ok, "the venue writes decimals");
  return parsed.value;
}
