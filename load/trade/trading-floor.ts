import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Random } from "../../kit/random.ts";
import { NOT_SENT } from "../record/recorder.ts";
import type { OrderFlow } from "../record/run-record.ts";
import type { Acknowledged, AcknowledgedOrder } from "./acknowledged.ts";
import type { Market, OrderWish } from "./market.ts";
import { drawAction, type Mix } from "./mix.ts";
import type { TradingPerson, VenueAnswer, VenueCalls } from "./venue-calls.ts";

/**
 * Places and cancels orders, and counts their outcomes. An order without a known outcome is sent again under the same
 * name until it has one; refusals and missing answers are counted, never thrown. An order that was never sent is
 * dropped.
 */
export type TradingFloor = {
  /** One action of the mix. `orders` is how many orders it stands for; `done` settles when they have an outcome. */
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
  /** The first part of the client order ids of this run. */
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

/** A venue allows fifty open orders by default; a trader close to it cancels one first, as any program would. */
const OPEN_HELD_MAX = 40;
/** After this an outcome counts as unknown: several times as long as a standby needs to take over. */
const RETRY_MS_MAX = 30_000;
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 2_000;

type NamedOrder = OrderWish & { readonly clientOrderId: string };
type Outcome = "acknowledged" | "rejected" | "again" | "not sent";

export function openTradingFloor({
  call,
  market,
  mix,
  batch,
  random,
  acknowledged,
  tag,
  nowMs,
  signal,
}: FloorParts): TradingFloor {
  let drawn = 0;
  const flow = { notSent: 0, acknowledged: 0, rejected: 0, unknown: 0, cancelled: 0, trades: 0 };
  const open = new Map<number, AcknowledgedOrder[]>();

  function act(person: TradingPerson, dueMs: number): StartedAction {
    const held = open.get(person.trader.index) ?? [];
    const action = held.length >= OPEN_HELD_MAX ? "cancel" : drawAction(mix, random.next());
    if (action === "cancel" && held.length > 0) {
      const order = held.splice(random.between(0, held.length - 1), 1)[0];
      if (order !== undefined) return { orders: 1, done: cancel(person, order, dueMs) };
    }
    if (action === "market") return { orders: 1, done: placeOne(person, named(market.marketOrder(random)), dueMs) };
    if (action === "stop") return { orders: 1, done: placeOne(person, named(market.stopOrder(random)), dueMs) };
    return placeLimits(person, dueMs);
  }

  function placeLimits(person: TradingPerson, dueMs: number): StartedAction {
    const orders = Array.from({ length: batch }, () => named(market.limitOrder(random)));
    const [first] = orders;
    if (batch === 1 && first !== undefined) return { orders: 1, done: placeOne(person, first, dueMs) };
    return { orders: batch, done: placeMany(person, orders, dueMs) };
  }

  function named(wish: OrderWish): NamedOrder {
    return { ...wish, clientOrderId: `${tag}-${drawn++}` };
  }

  async function placeOne(person: TradingPerson, order: NamedOrder, dueMs: number): Promise<void> {
    const answer = await call({ kind: "order", dueMs, person, method: "POST", path: "/orders", json: order });
    if (settle(person, answer.status, answer.code, answer.body) === "again") await placeAgain(person, order);
  }

  async function placeMany(person: TradingPerson, orders: readonly NamedOrder[], dueMs: number): Promise<void> {
    const answer = await call({
      kind: "batch",
      dueMs,
      person,
      method: "POST",
      path: "/orders/batch",
      json: { orders },
    });
    const results = answer.status === 200 ? (resultsSchema.safeParse(answer.body).data?.results ?? []) : [];
    const open = orders.filter((_, index) => {
      const result = results[index];
      const [status, code] =
        result === undefined ? [answer.status, answer.code] : [result.status, result.code ?? String(result.status)];
      return settle(person, status, code, result?.order) === "again";
    });
    await Promise.all(open.map((order) => placeAgain(person, order)));
  }

  /** The same name with the same content is one order, however often it is sent. */
  async function placeAgain(person: TradingPerson, order: NamedOrder): Promise<void> {
    const isSettled = await repeat(
      (dueMs) => call({ kind: "retry", dueMs, person, method: "POST", path: "/orders", json: order }),
      // The first attempt was sent: a later one that was not leaves the outcome open.
      ({ status, code, body }) => (code === NOT_SENT ? "again" : settle(person, status, code, body)),
    );
    if (!isSettled) flow.unknown++;
  }

  function settle({ trader }: TradingPerson, status: number, code: string, body: unknown): Outcome {
    const outcome = outcomeOf(status, code);
    if (outcome === "rejected") flow.rejected++;
    if (outcome === "not sent") flow.notSent++;
    if (outcome !== "acknowledged") return outcome;
    const placed = orderSchema.safeParse(body).data;
    // An answer without an order is not the venue's.
    if (placed === undefined) return "again";
    const { fills, ...order } = placed;
    flow.acknowledged++;
    // Every trade has one taker, whose answer lists it, except an order that was triggered.
    flow.trades += fills.filter(({ liquidity }) => liquidity === "taker").length;
    const remembered = { ...order, trader: trader.index, isCancelled: false };
    acknowledged.add(remembered);
    if (order.status === "open" || order.status === "partiallyFilled" || order.status === "pending") {
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
    const first = note(await call({ kind: "cancel", dueMs, ...request }));
    if (first === "not sent") open.get(person.trader.index)?.push(order);
    if (first !== "again") return;
    await repeat(
      (againMs) => call({ kind: "retry", dueMs: againMs, ...request }),
      (answer) => (answer.code === NOT_SENT ? "again" : note(answer)),
    );
  }

  /** False when no answer settled it in time. */
  async function repeat(
    send: (dueMs: number) => Promise<VenueAnswer>,
    note: (answer: VenueAnswer) => Outcome,
  ): Promise<boolean> {
    const untilMs = nowMs() + RETRY_MS_MAX;
    for (let pauseMs = PAUSE_MS_MIN; nowMs() < untilMs; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      await sleep(signal.aborted ? PAUSE_MS_MIN : pauseMs * (0.5 + random.next()));
      if (note(await send(nowMs())) !== "again") return true;
    }
    return false;
  }

  return { act, flow: () => ({ sent: drawn - flow.notSent, ...flow }) };
}

const TOO_OFTEN = 429;
const SERVER_ERROR = 500;
/** Refusals of the message that say nothing about the order: it was under way for too long, or was sent twice. */
const MESSAGE_CODES: ReadonlySet<string> = new Set(["timestamp_outside_window", "request_timeout", "request_replayed"]);

/** 202: written, and not committed in time. It may still happen, so the same order is sent again. */
function outcomeOf(status: number, code: string): Outcome {
  if (code === NOT_SENT) return "not sent";
  if (status === 200 || status === 201) return "acknowledged";
  if (status === 0 || status === 202 || status === TOO_OFTEN || status >= SERVER_ERROR || MESSAGE_CODES.has(code))
    return "again";
  return "rejected";
}
