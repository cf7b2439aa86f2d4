import type { ListOrder } from "../../origin/engine/command.ts";
import type { NaiveConditions, NaiveOrder } from "./naive-venue.ts";

type Asked = Pick<ListOrder, "selfTrade" | "conditions">;

/** The conditions of an order that has none yet, or those that it has. */
export function addConditions(order: NaiveOrder, asked: Asked = { selfTrade: "cancelNewest" }): NaiveConditions {
  const {
    stopTicks = 0,
    trailingBps = 0,
    expiresAt = 0,
    targetProfitPpm = 0,
    stopLossPpm = 0,
  } = asked.conditions ?? {};
  order.conditions ??= {
    phase: "placed",
    ...{ stopTicks, trailingBps, extremeTicks: 0, triggeredAt: 0, expiresAt, selfTrade: asked.selfTrade },
    ...{ priority: 0, reserved: 0n, listId: 0, role: "", buyOrderId: 0, sellOrderId: 0 },
    ...{ targetProfitPpm, stopLossPpm, originalLots: 0, preventedLots: 0 },
  };
  return order.conditions;
}
