import { z } from "zod";
import { ORDER_REFUSALS } from "../../commit/submit/refuse-reject.ts";
import type { RejectCode } from "../../engine/outcome.ts";
import type { ChangePort, ReplacedOrder } from "../../trading/change-port.ts";
import type { OrderName, TradingFailure } from "../../trading/trading-port.ts";
import { programOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { refusedResult, refusedResultSchema } from "./batch-operation.ts";
import { decimalField, orderIdField, PENDING } from "./fields.ts";
import { clientOrderIdField, newOrderSchema, orderSchema, orderWithFillsSchema } from "./order-schemas.ts";
import { type KnownCaller, problemOf, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

const amendmentSchema = z
  .strictObject({
    quantity: decimalField.describe("The new total, filled part included: less than now, more than is filled."),
  })
  .register(bodySchemas, { id: "Amendment" });

const replacementSchema = z
  .strictObject({
    order: newOrderSchema.describe("The new order."),
    onFailure: z
      .enum(["stop", "continue"])
      .default("stop")
      .describe("`stop`: both are done or neither. `continue`: each is done if it can be."),
  })
  .register(bodySchemas, { id: "Replacement" });

const replacedSchema = z
  .strictObject({
    cancelled: z
      .union([z.strictObject({ status: z.literal(200), order: orderSchema }), refusedResultSchema])
      .optional()
      .describe("Absent if the new order is a repetition."),
    placed: z.union([
      z.strictObject({ status: z.union([z.literal(200), z.literal(201)]), order: orderWithFillsSchema }),
      refusedResultSchema,
    ]),
  })
  .register(answerSchemas, { id: "ReplacedOrder" });

const switchSchema = z
  .strictObject({ seconds: z.int().min(0).describe("1 to 86,400; 0 ends it.") })
  .register(bodySchemas, { id: "CancelAfter" });

const switchedSchema = z
  .strictObject({ cancelAt: z.int().nullable().describe("null if it is off.") })
  .register(answerSchemas, { id: "CancelAfterState" });

const REPLACED = {
  201: { description: "The new order is placed; `cancelled` says what became of the other.", schema: replacedSchema },
  200: {
    description:
      "With `continue`: the new order was not placed. Or the same `clientOrderId` and content were sent before: that " +
      "order's current state, and nothing was cancelled.",
    schema: replacedSchema,
  },
  202: PENDING,
};
const REPLACE_REFUSALS = [
  ...ORDER_REFUSALS,
  ...(["order_not_found", "order_not_open", "amend_unsupported", "venue_catching_up"] as const),
  "database_unavailable" as const,
];

/** Changes of open and pending orders. */
export function changeOperations(trading: ChangePort): readonly VenueOperation[] {
  type Body = z.output<typeof replacementSchema>;

  async function replace(caller: KnownCaller, name: OrderName, { order, onFailure }: Body): Promise<Response> {
    const replaced = await trading.replaceOrder(traderOf(caller), { name, order, onFailure });
    if (!replaced.ok) return refuse(caller, inOrder(replaced.reason));
    const { placed, isRepetition, sequence } = replaced.value;
    const isPlaced = typeof placed !== "string" && !isRepetition;
    return caller.answer(isPlaced ? 201 : 200, replacedBody(replaced.value), sequenceHeader(sequence));
  }

  return [
    programOperation({
      method: "patch",
      path: "/orders/{orderId}",
      id: "amendOrder",
      summary: "Make an order of mine smaller; it keeps its place in the queue",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ orderId: orderIdField }),
      body: { schema: amendmentSchema },
      answers: { 200: { description: "The order's current state.", schema: orderSchema }, 202: PENDING },
      refusals: [
        ...([
          "order_not_found",
          "order_not_open",
          "amend_upward",
          "amend_without_effect",
          "amend_below_filled",
        ] as const),
        ...(["amend_unsupported", "value_below_minimum", "venue_busy", "engine_unavailable"] as const),
        ...(["venue_catching_up", "database_unavailable"] as const),
      ],
      async run(caller, { params: { orderId }, body: { quantity } }) {
        const amended = await trading.amendOrder(traderOf(caller), { orderId: Number(orderId), quantity });
        if (!amended.ok) return refuse(caller, amended.reason);
        return caller.answer(200, amended.value.order, sequenceHeader(amended.value.sequence));
      },
    }),
    programOperation({
      method: "post",
      path: "/orders/{orderId}/replace",
      id: "replaceOrder",
      summary: "Cancel an order of mine and place another one, in one step",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ orderId: orderIdField }),
      body: { schema: replacementSchema },
      answers: REPLACED,
      refusals: REPLACE_REFUSALS,
      run: (caller, { params: { orderId }, body }) => replace(caller, { orderId: Number(orderId) }, body),
    }),
    programOperation({
      method: "post",
      path: "/orders/client/{clientOrderId}/replace",
      id: "replaceOrderByClientId",
      summary: "The same, with my own name for the order to cancel",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ clientOrderId: clientOrderIdField }),
      body: { schema: replacementSchema },
      answers: REPLACED,
      refusals: REPLACE_REFUSALS,
      run: (caller, { params: { clientOrderId }, body }) => replace(caller, { clientOrderId }, body),
    }),
    programOperation({
      method: "put",
      path: "/orders/cancel-after",
      id: "cancelAfter",
      summary: "Cancel all my orders after a time, unless this is sent again before: a dead man's switch",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      body: { schema: switchSchema },
      answers: { 200: { description: "When it will happen.", schema: switchedSchema }, 202: PENDING },
      refusals: ["cancel_after_invalid", "venue_busy", "engine_unavailable"],
      async run(caller, { body: { seconds } }) {
        const set = await trading.cancelAfter(traderOf(caller), seconds);
        if (!set.ok) return refuse(caller, set.reason);
        return caller.answer(200, { cancelAt: set.value.cancelAt }, sequenceHeader(set.value.sequence));
      },
    }),
  ];
}

/** The fields of the new order, as the body has them. */
function inOrder(failure: TradingFailure): TradingFailure {
  if (failure.kind !== "invalid") return failure;
  return { ...failure, faults: failure.faults.map((fault) => ({ ...fault, field: `order.${fault.field}` })) };
}

function replacedBody({ cancelled, placed, isRepetition }: ReplacedOrder) {
  return {
    ...(cancelled !== undefined && {
      cancelled: typeof cancelled === "string" ? rejectedResult(cancelled) : { status: 200, order: cancelled },
    }),
    placed: typeof placed === "string" ? rejectedResult(placed) : { status: isRepetition ? 200 : 201, order: placed },
  };
}

const rejectedResult = (code: RejectCode) => refusedResult(problemOf({ kind: "rejected", code, sequence: undefined }));
