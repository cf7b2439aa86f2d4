import { fail, ok, type Result } from "../../shared/result.ts";
import type { OrderConditions, PlaceOrder } from "../engine/command.ts";
import type { TimeInForce } from "../engine/terms.ts";
import { amountText, readAmount, readPercent } from "../instruments/amounts.ts";
import { type KnownPair, readLots, readTicks, valueSteps } from "../instruments/grid.ts";
import { conditionFaults, limitFaults, marketFaults } from "./order-faults.ts";
import type { NewOrder, TradingFault } from "./trading-port.ts";

type Terms = { readonly pair: KnownPair; readonly user: string; readonly openOrdersMax: number };

/** An order as a command in the pair's ticks and lots, or every field that is invalid. */
export function orderCommand(
  order: NewOrder,
  { pair, user, openOrdersMax }: Terms,
): Result<PlaceOrder, readonly TradingFault[]> {
  const faults = [...(hasLimit(order) ? limitFaults(order) : marketFaults(order)), ...conditionFaults(order)];
  if (faults.length > 0) return fail(faults);
  const numbers = hasLimit(order) ? limitNumbers(order, pair) : marketNumbers(order, pair);
  const conditions = conditionNumbers(order, pair);
  if (!numbers.ok || !conditions.ok) return fail([numbers, conditions].flatMap((part) => (part.ok ? [] : part.reason)));
  return ok({
    kind: "place",
    user,
    pair: pair.pair,
    grid: pair.grid,
    side: order.side,
    type: order.type,
    ...numbers.value,
    timeInForce: order.timeInForce ?? defaultTime(order),
    postOnly: order.postOnly,
    selfTrade: order.selfTrade ?? order.selfTradePrevention ?? "cancelNewest",
    clientOrderId: order.clientOrderId ?? "",
    openOrdersMax,
    // Plain orders have no such property: most are, and each one costs.
    ...(conditions.value && { conditions: conditions.value }),
  });
}

/** Whether the order has a limit once it can trade. */
const hasLimit = ({ type }: Pick<NewOrder, "type">): boolean =>
  type === "limit" || type === "stopLimit" || type === "takeProfitLimit";

function defaultTime(order: NewOrder): TimeInForce {
  if (order.expiresAt !== undefined) return "GTD";
  return hasLimit(order) ? "GTC" : "IOC";
}

type Numbers = Pick<PlaceOrder, "ticks" | "lots" | "quoteAmount">;
type Read<Value> = Result<Value, readonly TradingFault[]>;

function limitNumbers({ price, quantity }: NewOrder, pair: KnownPair): Read<Numbers> {
  const ticks = readTicks(price, pair);
  const lots = readLots(quantity, pair);
  if (!ticks.ok || !lots.ok) return fail([...faultOf("price", ticks), ...faultOf("quantity", lots)]);
  const counted = { ticks: ticks.value, lots: lots.value };
  if (valueSteps(counted, pair) < pair.valueStepsMin) {
    return fail([
      { field: "quantity", rule: "minimumValue", message: `price times quantity must be at least ${minimum(pair)}` },
    ]);
  }
  return ok({ ...counted, quoteAmount: 0n });
}

function marketNumbers({ quantity, quoteAmount }: NewOrder, pair: KnownPair): Read<Numbers> {
  if (quantity !== undefined) {
    const lots = readLots(quantity, pair);
    return lots.ok ? ok({ ticks: 0, lots: lots.value, quoteAmount: 0n }) : fail(faultOf("quantity", lots));
  }
  const amount = readAmount(quoteAmount, pair.quoteScale);
  if (!amount.ok) return fail(faultOf("quoteAmount", amount));
  if (amount.value < pair.valueStepsMin)
    return fail([{ field: "quoteAmount", rule: "minimumValue", message: `must be at least ${minimum(pair)}` }]);
  return ok({ ticks: 0, lots: 0, quoteAmount: amount.value });
}

/** Undefined for a plain order. Ranges that the engine checks are left to it; 0 means absent there. */
function conditionNumbers(order: NewOrder, pair: KnownPair): Read<OrderConditions | undefined> {
  const { stopPrice, trailingBps, expiresAt, targetProfit, stopLoss } = order;
  const given = [stopPrice, trailingBps, expiresAt, targetProfit, stopLoss];
  if (given.every((part) => part === undefined)) return ok(undefined);
  const stop = stopPrice === undefined ? ok(0) : readTicks(stopPrice, pair);
  const target = percentage("targetProfit", targetProfit);
  const loss = percentage("stopLoss", stopLoss);
  if (!stop.ok || !target.ok || !loss.ok)
    return fail([...faultOf("stopPrice", stop), ...[target, loss].flatMap((part) => (part.ok ? [] : [part.reason]))]);
  return ok({
    stopTicks: stop.value,
    trailingBps: trailingBps ?? 0,
    expiresAt: expiresAt ?? 0,
    targetProfitPpm: target.value,
    stopLossPpm: loss.value,
  });
}

const PERCENT_PPM = 10_000;
/** A target of ten times the price is not a mistake in a new market; a stop below 0 is one. */
const PPM_MAX = { targetProfit: 1_000 * PERCENT_PPM, stopLoss: 100 * PERCENT_PPM - 1 } as const;
const RANGES = { targetProfit: "more than 0 and at most 1000", stopLoss: "more than 0 and less than 100" } as const;

function percentage(field: keyof typeof PPM_MAX, text: string | undefined): Result<number, TradingFault> {
  if (text === undefined) return ok(0);
  const ppm = readPercent(text);
  if (!ppm.ok) return fail({ field, rule: "number", message: ppm.reason });
  if (ppm.value > 0 && ppm.value <= PPM_MAX[field]) return ok(ppm.value);
  return fail({ field, rule: "number", code: "percentage_invalid", message: `must be ${RANGES[field]} percent` });
}

function faultOf(field: string, read: Result<unknown, string>): readonly TradingFault[] {
  return read.ok ? [] : [{ field, rule: "number", message: read.reason }];
}

function minimum({ valueStepsMin, quoteScale, quoteCurrency }: KnownPair): string {
  return `the minimum, ${amountText(valueStepsMin, quoteScale)} ${quoteCurrency.toUpperCase()}`;
}
