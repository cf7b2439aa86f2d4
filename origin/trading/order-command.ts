import { fail, ok, type Result } from "../../shared/result.ts";
import type { PlaceOrder } from "../engine/command.ts";
import { amountText, readAmount } from "../instruments/amounts.ts";
import { type KnownPair, readLots, readTicks, valueSteps } from "../instruments/grid.ts";
import type { NewOrder, TradingFault } from "./trading-port.ts";

type Terms = { readonly pair: KnownPair; readonly user: string; readonly openOrdersMax: number };

/** An order as a command in the pair's ticks and lots, or every field that is invalid. */
export function orderCommand(
  order: NewOrder,
  { pair, user, openOrdersMax }: Terms,
): Result<PlaceOrder, readonly TradingFault[]> {
  const kindFaults = order.type === "limit" ? limitFaults(order) : marketFaults(order);
  if (kindFaults.length > 0) return fail(kindFaults);
  const numbers = order.type === "limit" ? limitNumbers(order, pair) : marketNumbers(order, pair);
  if (!numbers.ok) return numbers;
  return ok({
    kind: "place",
    user,
    pair: pair.pair,
    grid: pair.grid,
    side: order.side,
    type: order.type,
    ...numbers.value,
    timeInForce: order.timeInForce ?? (order.type === "limit" ? "GTC" : "IOC"),
    postOnly: order.postOnly,
    selfTrade: order.selfTradePrevention,
    clientOrderId: order.clientOrderId ?? "",
    openOrdersMax,
  });
}

type Numbers = Pick<PlaceOrder, "ticks" | "lots" | "quoteAmount">;

function limitFaults({
  price,
  quantity,
  quoteAmount,
  postOnly,
  timeInForce = "GTC",
}: NewOrder): readonly TradingFault[] {
  const faults: TradingFault[] = [];
  if (price === undefined) faults.push({ field: "price", rule: "missing", message: "is required for a limit order" });
  if (quantity === undefined)
    faults.push({ field: "quantity", rule: "missing", message: "is required for a limit order" });
  if (quoteAmount !== undefined)
    faults.push({ field: "quoteAmount", rule: "unsupported", message: "is for market orders" });
  if (postOnly && timeInForce !== "GTC")
    faults.push({
      field: "postOnly",
      rule: "unsupported",
      message: "requires GTC: other orders never rest in the book",
    });
  return faults;
}

function marketFaults({
  price,
  quantity,
  quoteAmount,
  postOnly,
  timeInForce = "IOC",
}: NewOrder): readonly TradingFault[] {
  const faults: TradingFault[] = [];
  if (price !== undefined) faults.push({ field: "price", rule: "unsupported", message: "is for limit orders" });
  if ((quantity === undefined) === (quoteAmount === undefined)) {
    const rule = quantity === undefined ? "missing" : "unsupported";
    faults.push({ field: "quantity", rule, message: "a market order has either a quantity or a quoteAmount" });
  }
  if (postOnly) faults.push({ field: "postOnly", rule: "unsupported", message: "is for limit orders" });
  if (timeInForce === "GTC")
    faults.push({ field: "timeInForce", rule: "unsupported", message: "must be IOC or FOK for a market order" });
  return faults;
}

function limitNumbers({ price, quantity }: NewOrder, pair: KnownPair): Result<Numbers, readonly TradingFault[]> {
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

function marketNumbers({ quantity, quoteAmount }: NewOrder, pair: KnownPair): Result<Numbers, readonly TradingFault[]> {
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

function faultOf(field: string, read: Result<unknown, string>): readonly TradingFault[] {
  return read.ok ? [] : [{ field, rule: "number", message: read.reason }];
}

function minimum({ valueStepsMin, quoteScale, quoteCurrency }: KnownPair): string {
  return `the minimum, ${amountText(valueStepsMin, quoteScale)} ${quoteCurrency.toUpperCase()}`;
}
