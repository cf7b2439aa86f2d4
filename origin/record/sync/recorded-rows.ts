import { z } from "zod";
import type { ConditionRow, ListRow, OrderRow } from "../../engine/changes.ts";
import { steps, wholeNumber } from "../ledger/ledger-queries.ts";

/** The conditions of an order: in its table row an object with the names and units of the engine's row. */
const conditionsSchema = z.object({
  phase: z.enum(["dormant", "waiting", "tracking", "reached", "placed"]),
  stopTicks: z.int(),
  trailingBps: z.int(),
  extremeTicks: z.int(),
  triggeredAt: z.int(),
  expiresAt: z.int(),
  selfTrade: z.enum(["cancelNewest", "cancelOldest", "cancelBoth", "none", "decrement"]),
  priority: z.int(),
  reserved: steps,
  listId: z.int(),
  role: z.enum(["", "working", "pending", "above", "below"]),
  buyOrderId: z.int(),
  sellOrderId: z.int(),
  targetProfitPpm: z.int(),
  stopLossPpm: z.int(),
  originalLots: z.int(),
  preventedLots: z.int(),
}) satisfies z.ZodType<ConditionRow>;

/** Money as text: other JSON readers may round it. */
export function recordedConditions({ reserved, ...row }: ConditionRow) {
  return { ...row, reserved: String(reserved) };
}

/** An order as a table row and as a line in the archive, where orders of before have no `conditions`. */
export const orderRowSchema = z
  .object({
    id: wholeNumber,
    user: z.string(),
    pair: z.string(),
    grid: z.int(),
    side: z.enum(["buy", "sell"]),
    type: z.enum(["limit", "market", "stop", "stopLimit", "takeProfit", "takeProfitLimit"]),
    timeInForce: z.enum(["GTC", "IOC", "FOK", "GTD"]),
    postOnly: z.boolean(),
    ticks: wholeNumber,
    lots: wholeNumber,
    quoteAmount: steps,
    filledLots: wholeNumber,
    filledValue: steps,
    feePaid: steps,
    status: z.enum(["pending", "open", "partiallyFilled", "filled", "cancelled", "failed", "stopped"]),
    cancelReason: z.enum([
      "",
      "user",
      "immediateOrCancel",
      "selfTrade",
      "noLiquidity",
      "priceBand",
      "tooManyFills",
      "fundsSpent",
      "expired",
      "cancelAfter",
      "replaced",
      "list",
      "exitBegun",
      "fillOrKill",
      "postOnly",
      "fundsInsufficient",
      "reserveSpent",
    ]),
    clientOrderId: z.string(),
    createdAt: wholeNumber,
    updatedAt: wholeNumber,
    conditions: conditionsSchema.nullish(),
  })
  .transform(({ conditions, ...row }): OrderRow => (conditions ? { ...row, conditions } : row));

/** An order list as a table row and as a line in the archive; the ids of its orders are one text. */
export const listRowSchema = z.object({
  id: wholeNumber,
  user: z.string(),
  pair: z.string(),
  kind: z.enum(["oco", "oto", "otoco", "exit"]),
  clientListId: z.string(),
  orderIds: z.string().transform((text): readonly number[] => text.split(",").map(Number)),
  status: z.enum(["active", "done"]),
  reserved: steps,
  dueAs: wholeNumber,
  targetProfitPpm: z.int(),
  stopLossPpm: z.int(),
  boughtLots: wholeNumber,
  boughtValue: steps,
  createdAt: wholeNumber,
  updatedAt: wholeNumber,
}) satisfies z.ZodType<ListRow>;
