import { z } from "zod";
import type { List, NewList } from "../../trading/list-port.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { decimalField, nextCursorField, pairField } from "./fields.ts";
import { clientOrderIdField, exitFields, newOrderFields, orderSchema } from "./order-schemas.ts";

export const clientListIdField = clientOrderIdField.describe(
  "Your own name for the list, not `.` or `..`. The same name with the same content is one list, for 24 hours.",
);

const listOrderSchema = z
  .strictObject({ pair: pairField.optional(), ...newOrderFields, ...exitFields })
  .register(bodySchemas, { id: "NewListOrder" });

const { side: _side, quantity: _quantity, quoteAmount: _quoteAmount, ...legFields } = newOrderFields;
const legSchema = z
  .strictObject({ pair: pairField.optional(), ...legFields })
  .register(bodySchemas, { id: "NewListLeg" });

const above = legSchema.describe(
  "The order at the higher price: to sell `limit`, `takeProfit` or `takeProfitLimit`, to buy `stop` or `stopLimit`.",
);
const below = legSchema.describe(
  "The order at the lower price: to sell `stop` or `stopLimit`, to buy `limit`, `takeProfit` or `takeProfitLimit`.",
);
const working = listOrderSchema.describe("A limit order; the others wait until it is filled.");
const clientListId = clientListIdField.optional();
const side = z.enum(["buy", "sell"]);

/** One of two limit orders that exclude each other is post-only. */
export const newListSchema = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("oco"),
      pair: pairField,
      side,
      quantity: decimalField.describe("Of both orders, which share one reservation."),
      above,
      below,
      clientListId,
    }),
    z.strictObject({
      type: z.literal("oto"),
      pair: pairField.optional().describe("Unless `working` names it."),
      working,
      pending: listOrderSchema.describe("Placed when `working` is filled; nothing is reserved for it before."),
      clientListId,
    }),
    z.strictObject({
      type: z.literal("otoco"),
      pair: pairField.optional().describe("Unless `working` names it."),
      side: side.optional().describe("Of `above` and `below`; by default the other side of `working`."),
      quantity: decimalField.optional().describe("Of `above` and `below`; by default that of `working`."),
      working,
      above,
      below,
      clientListId,
    }),
  ])
  .register(bodySchemas, { id: "NewOrderList" }) satisfies z.ZodType<NewList>;

export const listSchema = z
  .strictObject({
    id: z.string(),
    type: z
      .enum(["oco", "oto", "otoco", "exit"])
      .describe("`exit`: the sell orders that follow a buy with `targetProfit` or `stopLoss`."),
    clientListId: z.string().nullable(),
    pair: z.string(),
    status: z.enum(["active", "done"]).describe("`done` once none of its orders is pending or open."),
    orderIds: z.array(z.string()).describe("In the order of the request; of an `exit`, the buy first."),
    orders: z.array(orderSchema).describe("Their current state. A page of lists leaves archived orders out."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .register(answerSchemas, { id: "OrderList" }) satisfies z.ZodType<List>;

export const listPageSchema = z
  .strictObject({ lists: z.array(listSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "OrderListPage" });
