import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Random } from "../../test/sim/random.ts";
import type { OrderFlow } from "../record/run-record.ts";
import type { Acknowledged, AcknowledgedOrder } from "./acknowledged.ts";
import type { Market, OrderWish } from "./market.ts";
import { drawAction, type Mix } from "./mix.ts";
import type { TradingPerson, VenueAnswer, VenueCalls } from "./venue-calls.ts";

/**
 * What traders do, and what came of it. An order whose outcome is not known is sent again under the same name until it is: refusals and
 * silence are counted, never thrown.
 */
export type TradingFloor = {
  /** One action of the mix; how many orders it stands for is told at once, its end comes later. */
  readonly act: (person: TradingPerson, dueMs: number) => StartedAction;
  readonly flow: () => Omit<OrderFlow, "asked" | "lost">;
};

export type StartedAction = { readonly orders: number; readonly done: Promise<void> };

type FloorParts = {
  readonly call: VenueCalls;
  readonly market: Market;
  readonly mix: Mix;
  readonly batch: number;
  readonly random: Random;
  readonly acknowledged: Acknowledged;
  /** Begins the name of every order of this run. */
  readonly tag: string;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
};

const orderSchema = z.object({
  id: z.string(),
  clientOrderId: z.string(),
  status: z.string(),
  filledQuantity: z.string(),
  fills: z.array(z.object({ liquidity: z.string() })),
});
const resultsSchema = z.object({
  results: z.array(z.object({ status: z.number(), code: z.string().optional(), order: orderSchema.optional() })),
});

/** A venue allows fifty open orders by default; whoever comes near it takes one back first, as any program would. */
const OPEN_HELD_MAX = 40;
/** After this an outcome counts as unknown: longer than a standby needs to take over, several times. */
const RETRY_MS_MAX = 30_000;
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 2_000;

type NamedOrder = OrderWish & { readonly clientOrderId: string };
type Outcome = "acknowledged" | "rejected" | "again";

export function openTradingFloor({ call, market, mix, batch, random, acknowledged, tag, nowMs, signal }: FloorParts): TradingFloor {
  const flow = { sent: 0, acknowledged: 0, rejected: 0, unknown: 0, cancelled: 0, trades: 0 };
  const open = new Map<number, AcknowledgedOrder[]>();

  function act(person: TradingPerson, dueMs: number): StartedAction {
    const held = open.get(person.trader.index) ?? [];
    const action = held.length >= OPEN_HELD_MAX ? "cancel" : drawAction(mix, random.next());
    if (action === "cancel" && held.length > 0) {
      const order = held.splice(random.between(0, held.length - 1), 1)[0];
      if (order !== undefined) return { orders: 1, done: cancel(person, order, dueMs) };
    }
    if (action === "market") return { orders: 1, done: placeOne(person, named(market.marketOrder(random)), dueMs) };
    const orders = Array.from({ length: batch }, () => named(market.limitOrder(random)));
    const [first] = orders;
    if (batch === 1 && first !== undefined) return { orders: 1, done: placeOne(person, first, dueMs) };
    return { orders: batch, done: placeMany(person, orders, dueMs) };
  }

  function named(wish: OrderWish): NamedOrder {
    return { ...wish, clientOrderId: `${tag}-${flow.sent++}` };
  }

  async function placeOne(person: TradingPerson, order: NamedOrder, dueMs: number): Promise<void> {
    const answer = await call({ kind: "order", dueMs, person, method: "POST", path: "/orders", json: order });
    if (settle(person, answer.status, answer.code, answer.body) === "again") await placeAgain(person, order);
  }

  async function placeMany(person: TradingPerson, orders: readonly NamedOrder[], dueMs: number): Promise<void> {
    const answer = await call({ kind: "batch", dueMs, person, method: "POST", path: "/orders/batch", json: { orders } });
    const results = answer.status === 200 ? (resultsSchema.safeParse(answer.body).data?.results ?? []) : [];
    const open = orders.filter((_, index) => {
      const result = results[index];
      const [status, code] = result === undefined ? [answer.status, answer.code] : [result.status, result.code ?? String(result.status)];
      return settle(person, status, code, result?.order) === "again";
    });
    await Promise.all(open.map((order) => placeAgain(person, order)));
  }

  /** The same name with the same content is one order, however often it is sent. */
  async function placeAgain(person: TradingPerson, order: NamedOrder): Promise<void> {
    const isSettled = await repeat(
      (dueMs) => call({ kind: "retry", dueMs, person, method: "POST", path: "/orders", json: order }),
      (answer) => settle(person, answer.status, answer.code, answer.body),
    );
    if (!isSettled) flow.unknown++;
  }

  function settle({ trader }: TradingPerson, status: number, code: string, body: unknown): Outcome {
    const outcome = outcomeOf(status, code);
    if (outcome === "rejected") flow.rejected++;
    if (outcome !== "acknowledged") return outcome;
    const placed = orderSchema.safeParse(body).data;
    // Whatever was answered, it was not the venue.
    if (placed === undefined) return "again";
    const { fills, ...order } = placed;
    flow.acknowledged++;
    // Every trade has one taker, and the taker is told of it in the answer to its order.
    flow.trades += fills.filter(({ liquidity }) => liquidity === "taker").length;
    const remembered = { ...order, trader: trader.index, isCancelled: false };
    acknowledged.add(remembered);
    if (order.status === "open" || order.status === "partiallyFilled") {
      const held = open.get(trader.index) ?? [];
      held.push(remembered);
      open.set(trader.index, held);
    }
    return outcome;
  }

  async function cancel(person: TradingPerson, order: AcknowledgedOrder, dueMs: number): Promise<void> {
    const request = { person, method: "DELETE", path: `/orders/${order.id}` } as const;
    const note = ({ status, code }: VenueAnswer): Outcome => {
      const outcome = outcomeOf(status, code);
      if (outcome === "acknowledged") {
        order.isCancelled = true;
        flow.cancelled++;
      }
      return outcome;
    };
    if (note(await call({ kind: "cancel", dueMs, ...request })) !== "again") return;
    await repeat((againMs) => call({ kind: "retry", dueMs: againMs, ...request }), note);
  }

  /** False when no answer settled it in time. */
  async function repeat(send: (dueMs: number) => Promise<VenueAnswer>, note: (answer: VenueAnswer) => Outcome): Promise<boolean> {
    const untilMs = nowMs() + RETRY_MS_MAX;
    for (let pauseMs = PAUSE_MS_MIN; nowMs() < untilMs; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      await sleep(signal.aborted ? PAUSE_MS_MIN : pauseMs * (0.5 + random.next()));
      if (note(await send(nowMs())) !== "again") return true;
    }
    return false;
  }

  return { act, flow: () => ({ ...flow }) };
}

const TOO_OFTEN = 429;
const SERVER_ERROR = 500;
/** Refusals of this one message, that say nothing about the order: it was too long on its way, or a connection was closed and it was sent twice. */
const MESSAGE_CODES: ReadonlySet<string> = new Set(["timestamp_outside_window", "request_timeout", "request_replayed"]);

/** 202: written, and not committed in time. It may still happen, so it is asked for under its name. */
function outcomeOf(status: number, code: string): Outcome {
  if (status === 200 || status === 201) return "acknowledged";
  if (status === 0 || status === 202 || status === TOO_OFTEN || status >= SERVER_ERROR || MESSAGE_CODES.has(code)) return "again";
  return "rejected";
}
