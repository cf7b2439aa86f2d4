import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { type Caller, programOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas } from "../api/schemas.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import type { Accepted, Desk } from "./desk.ts";
import { clientOrderIdField, newOrderSchema, pairField } from "./new-order-schema.ts";
import { type OrderAnswer, orderAnswer, orderSchema, orderWithFillsSchema } from "./order-answer.ts";
import type { OrderStore } from "./order-store.ts";
import { cursorField, limitField, nextCursorField } from "./paging.ts";
import { PENDING } from "./pending.ts";
import { placedAnswer } from "./placed-answer.ts";
import { readOrder } from "./read-order.ts";
import { ORDER_REFUSALS } from "./refuse-reject.ts";

export type OrderParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly store: OrderStore;
  /** How many open orders one user may have, as the venue is set now. */
  readonly openOrdersMax: () => number;
};

const orderIdField = z.string().regex(/^[1-9]\d{0,14}$/, "must be an order's id");

const orderPageSchema = z
  .strictObject({ orders: z.array(orderSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "OrderPage" });

const cancelledSchema = z
  .strictObject({
    orders: z.array(orderSchema).describe("Those that were cancelled, as they stand now."),
    hasMore: z.boolean().describe("One request cancels up to 1,000: ask again while there are more."),
  })
  .register(answerSchemas, { id: "CancelledOrders" });

export function orderOperations({ desk, pairs, store, openOrdersMax }: OrderParts): readonly VenueOperation[] {
  /**
   * As they stand now. An open order keeps its pair's grid from changing, so this process knows the grid, or the next look shows it.
   * Undefined when it does not: the orders are cancelled and cannot be shown.
   */
  async function cancelledOf(caller: Caller, outcome: Accepted): Promise<readonly OrderAnswer[] | undefined> {
    assert(outcome.kind === "cancelled", "what cancels tells what was cancelled");
    const isKnown = () => outcome.orders.every(({ pair, grid }) => pairs.inGrid(pair, grid) !== undefined);
    if (!isKnown() && (await desk.catchUp(caller)) === undefined) await pairs.refresh();
    if (!isKnown()) return undefined;
    return outcome.orders.flatMap((order) => {
      const pair = pairs.inGrid(order.pair, order.grid);
      return pair === undefined ? [] : [orderAnswer(order, pair)];
    });
  }

  /** While PostgreSQL is unavailable an order that has left Redis may be anybody's. That it is not open is true in any case. */
  async function isOwn(user: string, orderId: number): Promise<boolean> {
    try {
      return await store.isOwn(user, orderId);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return true;
      throw error;
    }
  }

  const oneCancelled = (caller: Caller) => async (outcome: Accepted, headers: Readonly<Record<string, string>>) => {
    const orders = await cancelledOf(caller, outcome);
    return orders === undefined ? caller.refuse("venue_catching_up", { headers }) : caller.answer(200, orders[0], headers);
  };

  return [
    programOperation({
      method: "post",
      path: "/orders",
      id: "placeOrder",
      summary: "Place an order; answered when it is committed",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      body: { schema: newOrderSchema },
      answers: {
        201: { description: "Committed: the order after it, with the fills of this very request.", schema: orderWithFillsSchema },
        200: {
          description: "The same `clientOrderId` and content came before: that order, as it stands now.",
          schema: orderWithFillsSchema,
        },
        202: PENDING,
      },
      refusals: [...ORDER_REFUSALS, "venue_catching_up", "database_unavailable"],
      async run(caller, { body }) {
        const pair = await pairs.findPair(body.pair);
        if (pair === undefined) return caller.refuse("pair_not_found");
        const command = readOrder(body, { pair, user: caller.identity.user.id, openOrdersMax: openOrdersMax() });
        if (!command.ok) return caller.refuse("validation_failed", { errors: command.reason });
        return desk.send(caller, command.value, {
          async accepted(outcome, headers) {
            const catchUp = async () => (await desk.catchUp(caller)) === undefined;
            const placed = await placedAnswer(outcome, { user: command.value.user, pair, store, catchUp });
            return placed === undefined
              ? caller.refuse("venue_catching_up", { headers })
              : caller.answer(placed.status, placed.order, headers);
          },
        });
      },
    }),
    programOperation({
      method: "get",
      path: "/orders",
      id: "listOrders",
      summary: "My orders, the newest first",
      limit: "read",
      permission: "info",
      query: z.strictObject({
        status: z
          .enum(["open", "partiallyFilled", "filled", "cancelled"])
          .optional()
          .describe("`open`: all that wait in the book, partially filled ones too."),
        pair: pairField.optional(),
        cursor: cursorField,
        limit: limitField,
      }),
      answers: {
        200: {
          description:
            "One page. Orders that ended before SLUICE_ARCHIVE_DAYS (90 days by default) are not listed; `GET /orders/{orderId}` still finds each of them.",
          schema: orderPageSchema,
        },
      },
      refusals: ["venue_catching_up", "database_unavailable"],
      async run(caller, { query: { status, pair, cursor, limit } }) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        const page = { status, pair, beforeId: cursor === undefined ? undefined : Number(cursor), limit: Number(limit) };
        return caller.answer(200, await store.list(caller.identity.user.id, page));
      },
    }),
    programOperation({
      method: "get",
      path: "/orders/{orderId}",
      id: "readOrder",
      summary: "One order of mine, with its fills",
      limit: "read",
      permission: "info",
      params: z.strictObject({ orderId: orderIdField }),
      answers: { 200: { description: "As it stands.", schema: orderWithFillsSchema } },
      refusals: ["order_not_found", "venue_catching_up", "database_unavailable"],
      async run(caller, { params: { orderId } }) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        const order = await store.read(caller.identity.user.id, Number(orderId));
        return order === undefined ? caller.refuse("order_not_found") : caller.answer(200, order);
      },
    }),
    programOperation({
      method: "delete",
      path: "/orders/{orderId}",
      id: "cancelOrder",
      summary: "Cancel an open order of mine",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ orderId: orderIdField }),
      answers: { 200: { description: "Cancelled: the order as it stands now.", schema: orderSchema }, 202: PENDING },
      refusals: ["order_not_found", "order_not_open", "venue_busy", "engine_unavailable", "venue_catching_up"],
      run: (caller, { params: { orderId } }) => {
        const user = caller.identity.user.id;
        const command = { kind: "cancel", user, orderId: Number(orderId), clientOrderId: "" } as const;
        return desk.send(caller, command, {
          accepted: oneCancelled(caller),
          // The engine knows open orders alone. Whether it is another user's or was one's own, Redis or the record can tell.
          async instead(code) {
            if (code !== "order_not_open" || (await desk.catchUp(caller)) !== undefined) return code;
            return (await isOwn(user, command.orderId)) ? code : "order_unknown";
          },
        });
      },
    }),
    programOperation({
      method: "delete",
      path: "/orders/client/{clientOrderId}",
      id: "cancelOrderByClientId",
      summary: "Cancel an open order of mine by my own name for it",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ clientOrderId: clientOrderIdField }),
      answers: { 200: { description: "Cancelled: the order as it stands now.", schema: orderSchema }, 202: PENDING },
      refusals: ["order_not_found", "order_not_open", "venue_busy", "engine_unavailable", "venue_catching_up"],
      run: (caller, { params: { clientOrderId } }) => {
        const command = { kind: "cancel", user: caller.identity.user.id, orderId: 0, clientOrderId } as const;
        return desk.send(caller, command, { accepted: oneCancelled(caller) });
      },
    }),
    programOperation({
      method: "delete",
      path: "/orders",
      id: "cancelOrders",
      summary: "Cancel all my open orders, of one pair or of all",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      query: z.strictObject({ pair: pairField.optional() }),
      answers: { 200: { description: "Cancelled.", schema: cancelledSchema }, 202: PENDING },
      refusals: ["pair_not_found", "venue_busy", "engine_unavailable", "venue_catching_up"],
      run: (caller, { query: { pair } }) => {
        const command = { kind: "cancelAll", user: caller.identity.user.id, pair: pair ?? "" } as const;
        return desk.send(caller, command, {
          async accepted(outcome, headers) {
            const orders = await cancelledOf(caller, outcome);
            if (orders === undefined) return caller.refuse("venue_catching_up", { headers });
            return caller.answer(200, { orders, hasMore: outcome.kind === "cancelled" && outcome.hasMore }, headers);
          },
        });
      },
    }),
  ];
}
