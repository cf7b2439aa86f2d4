import type { ConditionRow } from "../engine/changes.ts";
import type { ConditionPhase, ListRole, OrderStatus } from "../engine/terms.ts";
import { percentText } from "../instruments/amounts.ts";
import { type Grid, priceText, quantityText } from "../instruments/grid.ts";

export type NewConditions = {
  /** The trigger price; with `trailingBps` the activation price. */
  readonly stopPrice?: string | undefined;
  readonly trailingBps?: number | undefined;
  /** Of `GTD`. */
  readonly expiresAt?: number | undefined;
  /** Of a buy: a sell order follows that takes so many percent more than was paid. */
  readonly targetProfit?: string | undefined;
  /** Of a buy: what it received is sold when the price is so many percent lower. */
  readonly stopLoss?: string | undefined;
};

/** Only some orders have them, and each of them only if it applies. */
export type Conditions = {
  readonly stopPrice?: string | undefined;
  readonly trailingBps?: number | undefined;
  /** The best price that a trailing order has seen since its activation. */
  readonly extremePrice?: string | undefined;
  /** Of a pending order: what it waits for. */
  readonly phase?: ConditionPhase | undefined;
  readonly triggeredAt?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly listId?: string | undefined;
  readonly listRole?: Exclude<ListRole, ""> | undefined;
  readonly buyOrderId?: string | undefined;
  readonly sellOrderId?: string | undefined;
  readonly targetProfit?: string | undefined;
  readonly stopLoss?: string | undefined;
  /** When it was placed, if the quantity is smaller now. */
  readonly originalQuantity?: string | undefined;
  /** Taken away by self-trade prevention. */
  readonly preventedQuantity?: string | undefined;
};

/** Prices and quantities of the row, as text. */
export type ConditionTexts = Pick<Conditions, "stopPrice" | "extremePrice" | "originalQuantity" | "preventedQuantity">;

export function conditionTexts(row: ConditionRow, grid: Grid): ConditionTexts {
  return {
    ...(row.stopTicks !== 0 && { stopPrice: priceText(row.stopTicks, grid) }),
    ...(row.extremeTicks !== 0 && { extremePrice: priceText(row.extremeTicks, grid) }),
    ...(row.originalLots !== 0 && { originalQuantity: quantityText(row.originalLots, grid) }),
    ...(row.preventedLots !== 0 && { preventedQuantity: quantityText(row.preventedLots, grid) }),
  };
}

export function conditionsOf(row: ConditionRow, texts: ConditionTexts, status: OrderStatus): Conditions {
  return {
    ...texts,
    ...(row.trailingBps !== 0 && { trailingBps: row.trailingBps }),
    ...(status === "pending" && { phase: row.phase }),
    ...(row.triggeredAt !== 0 && { triggeredAt: row.triggeredAt }),
    ...(row.expiresAt !== 0 && { expiresAt: row.expiresAt }),
    ...(row.listId !== 0 && { listId: String(row.listId) }),
    ...(row.role !== "" && { listRole: row.role }),
    ...(row.buyOrderId !== 0 && { buyOrderId: String(row.buyOrderId) }),
    ...(row.sellOrderId !== 0 && { sellOrderId: String(row.sellOrderId) }),
    ...(row.targetProfitPpm !== 0 && { targetProfit: percentText(row.targetProfitPpm) }),
    ...(row.stopLossPpm !== 0 && { stopLoss: percentText(row.stopLossPpm) }),
  };
}
