import { z } from "zod";
import { errorCatalogue } from "../../../shared/http/errors.ts";
import { ORDER_REFUSALS, refusalOf } from "../../commit/submit/refuse-reject.ts";
import { SEALED_CHARS_MAX } from "../../trading/command-seal.ts";
import type { CommandState, OrderPort } from "../../trading/trading-port.ts";
import { programOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";
import { cursorField, limitField, nextCursorField, orderIdField, PENDING, pageOf, pairField } from "./fields.ts";
import { clientOrderIdField, fillSchema, newOrderSchema, orderSchema, orderWithFillsSchema } from "./order-schemas.ts";
import { answerRead, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

const orderPageSchema = z
  .strictObject({ orders: z.array(orderSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "OrderPage" });

const tradePageSchema = z
  .strictObject({ trades: z.array(fillSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "TradePage" });

const cancelledSchema = z
  .strictObject({
    orders: z.array(orderSchema).describe("The cancelled orders in their current state."),
    hasMore: z.boolean().describe("One request cancels up to 1,000 orders: repeat it while there are more."),
  })
  .register(answerSchemas, { id: "CancelledOrders" });

const outcomeSchema = z
  .strictObject({
    state: z.enum(["pending", "done", "rejected"]),
    orders: z.array(orderSchema).optional().describe("Of a command about orders: their current state."),
    code: z.string().optional().describe("Why the command was rejected; a rejected command has changed nothing."),
    title: z.string().optional(),
  })
  .register(answerSchemas, { id: "CommandOutcome" });

const CANCEL_REFUSALS = [
  "order_not_found",
  "order_not_open",
  "venue_busy",
  "engine_unavailable",
  "venue_catching_up",
] as const;
const CANCELLED = { 200: { description: "Cancelled: the order's current state.", schema: orderSchema }, 202: PENDING };

export function orderOperations(trading: OrderPort): readonly VenueOperation[] {
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
        201: {
          description: "Committed: the order after the commit, with the fills of this request.",
          schema: orderWithFillsSchema,
        },
        200: {
          description: "The same `clientOrderId` and content were sent before: that order's current state.",
          schema: orderWithFillsSchema,
        },
        202: PENDING,
      },
      refusals: [...ORDER_REFUSALS, "venue_catching_up", "database_unavailable"],
      async run(caller, { body }) {
        const placed = await trading.placeOrder(traderOf(caller), body);
        if (!placed.ok) return refuse(caller, placed.reason);
        const { order, isRepetition, sequence } = placed.value;
        return caller.answer(isRepetition ? 200 : 201, order, sequenceHeader(sequence));
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
          .enum(["pending", "open", "partiallyFilled", "filled", "cancelled", "failed", "stopped"])
          .optional()
          .describe(
            "`open`: every order in the book, partially filled ones included. `pending`: those that wait for a trigger " +
              "or for the working order of their list.",
          ),
        pair: pairField.optional(),
        cursor: cursorField,
        limit: limitField,
      }),
      answers: {
        200: {
          description:
            "One page. Orders that ended more than SLUICE_ARCHIVE_DAYS ago (90 days by default) are not listed; " +
            "`GET /orders/{orderId}` still finds each of them.",
          schema: orderPageSchema,
        },
      },
      refusals: ["venue_catching_up", "database_unavailable"],
      run: (caller, { query: { status, pair, ...page } }) =>
        answerRead(caller, () => trading.listOrders(traderOf(caller), { status, pair, ...pageOf(page) })),
    }),
    programOperation({
      method: "get",
      path: "/orders/{orderId}",
      id: "readOrder",
      summary: "One order of mine, with its fills",
      limit: "read",
      permission: "info",
      params: z.strictObject({ orderId: orderIdField }),
      answers: { 200: { description: "Its current state.", schema: orderWithFillsSchema } },
      refusals: ["order_not_found", "venue_catching_up", "database_unavailable"],
      run: (caller, { params: { orderId } }) =>
        answerRead(caller, () => trading.readOrder(traderOf(caller), Number(orderId))),
    }),
    programOperation({
      method: "delete",
      path: "/orders/{orderId}",
      id: "cancelOrder",
      summary: "Cancel an open or pending order of mine; other orders of its list end with it",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ orderId: orderIdField }),
      answers: CANCELLED,
      refusals: CANCEL_REFUSALS,
      async run(caller, { params: { orderId } }) {
        const cancelled = await trading.cancelOrder(traderOf(caller), { orderId: Number(orderId) });
        if (!cancelled.ok) return refuse(caller, cancelled.reason);
        return caller.answer(200, cancelled.value.order, sequenceHeader(cancelled.value.sequence));
      },
    }),
    programOperation({
      method: "delete",
      path: "/orders/client/{clientOrderId}",
      id: "cancelOrderByClientId",
      summary: "Cancel an open or pending order of mine by my own name for it",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ clientOrderId: clientOrderIdField }),
      answers: CANCELLED,
      refusals: CANCEL_REFUSALS,
      async run(caller, { params: { clientOrderId } }) {
        const cancelled = await trading.cancelOrder(traderOf(caller), { clientOrderId });
        if (!cancelled.ok) return refuse(caller, cancelled.reason);
        return caller.answer(200, cancelled.value.order, sequenceHeader(cancelled.value.sequence));
      },
    }),
    programOperation({
      method: "delete",
      path: "/orders",
      id: "cancelOrders",
      summary: "Cancel all my open and pending orders, of one pair or of all",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      query: z.strictObject({ pair: pairField.optional() }),
      answers: { 200: { description: "Cancelled.", schema: cancelledSchema }, 202: PENDING },
      refusals: ["pair_not_found", "venue_busy", "engine_unavailable", "venue_catching_up"],
      async run(caller, { query: { pair } }) {
        const cancelled = await trading.cancelOrders(traderOf(caller), { pair });
        if (!cancelled.ok) return refuse(caller, cancelled.reason);
        const { orders, hasMore, sequence } = cancelled.value;
        return caller.answer(200, { orders, hasMore }, sequenceHeader(sequence));
      },
    }),
    programOperation({
      method: "get",
      path: "/commands/{commandId}",
      id: "readCommand",
      summary: "The outcome of a command of mine that was answered with 202",
      limit: "read",
      permission: "info",
      params: z.strictObject({ commandId: z.string().max(SEALED_CHARS_MAX) }),
      answers: { 200: { description: "The outcome, or `pending`.", schema: outcomeSchema } },
      refusals: ["command_not_found", "venue_catching_up", "database_unavailable"],
      async run(caller, { params: { commandId } }) {
        const command = await trading.readCommand(traderOf(caller), commandId);
        if (!command.ok) return refuse(caller, command.reason);
        return command.value.state === "notFound"
          ? caller.refuse("command_not_found")
          : caller.answer(200, commandAnswer(command.value));
      },
    }),
    programOperation({
      method: "get",
      path: "/trades",
      id: "listTrades",
      summary: "My executions, the newest first",
      limit: "read",
      permission: "info",
      query: z.strictObject({ pair: pairField.optional(), cursor: cursorField, limit: limitField }),
      answers: { 200: { description: "One page.", schema: tradePageSchema } },
      refusals: ["venue_catching_up", "database_unavailable"],
      run: (caller, { query: { pair, ...page } }) =>
        answerRead(caller, () => trading.listFills(traderOf(caller), { pair, ...pageOf(page) })),
    }),
  ];
}

function commandAnswer(command: CommandState): z.input<typeof outcomeSchema> | CommandState {
  if (command.state !== "rejected") return command;
  const [code] = refusalOf(command.code);
  return { state: "rejected", code, title: errorCatalogue[code].title };
}
