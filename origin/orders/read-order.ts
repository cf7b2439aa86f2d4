import type { FieldFault } from "../../shared/field-faults.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PlaceOrder } from "../engine/command.ts";
import { amountOf, amountText, type KnownPair, lotsOf, ticksOf } from "../pairs/pair-numbers.ts";
import type { NewOrder } from "./new-order-schema.ts";

type Terms = { readonly pair: KnownPair; readonly user: string; readonly openOrdersMax: number };

/** An order in the pair's own ticks and lots, or every field that cannot be taken, with the rule that it breaks. */
export function readOrder(order: NewOrder, { pair, user, openOrdersMax }: Terms): Result<PlaceOrder, readonly FieldFault[]> {
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

function limitFaults({ price, quantity, quoteAmount, postOnly, timeInForce = "GTC" }: NewOrder): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (price === undefined) faults.push({ field: "price", message: "must be there for a limit order" });
  if (quantity === undefined) faults.push({ field: "quantity", message: "must be there for a limit order" });
  if (quoteAmount !== undefined) faults.push({ field: "quoteAmount", message: "is for market orders" });
  if (postOnly && timeInForce !== "GTC") faults.push({ field: "postOnly", message: "goes with GTC alone: others never wait in the book" });
  return faults;
}

function marketFaults({ price, quantity, quoteAmount, postOnly, timeInForce = "IOC" }: NewOrder): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (price !== undefined) faults.push({ field: "price", message: "is for limit orders" });
  if ((quantity === undefined) === (quoteAmount === undefined)) {
    faults.push({ field: "quantity", message: "a market order has either a quantity or a quoteAmount" });
  }
  if (postOnly) faults.push({ field: "postOnly", message: "is for limit orders" });
  if (timeInForce === "GTC") faults.push({ field: "timeInForce", message: "must be IOC or FOK for a market order" });
  return faults;
}

function limitNumbers({ price, quantity }: NewOrder, pair: KnownPair): Result<Numbers, readonly FieldFault[]> {
  const ticks = ticksOf(price, pair);
  const lots = lotsOf(quantity, pair);
  if (!ticks.ok || !lots.ok) return fail([...faultOf("price", ticks), ...faultOf("quantity", lots)]);
  const valueSteps = (BigInt(ticks.value) * pair.tickSteps * BigInt(lots.value) * pair.lotSteps) / 10n ** BigInt(pair.baseScale);
  if (valueSteps < pair.valueStepsMin)
    return fail([{ field: "quantity", message: `price times quantity must be at least ${minimum(pair)}` }]);
  return ok({ ticks: ticks.value, lots: lots.value, quoteAmount: 0n });
}

function marketNumbers({ quantity, quoteAmount }: NewOrder, pair: KnownPair): Result<Numbers, readonly FieldFault[]> {
  if (quantity !== undefined) {
    const lots = lotsOf(quantity, pair);
    return lots.ok ? ok({ ticks: 0, lots: lots.value, quoteAmount: 0n }) : fail(faultOf("quantity", lots));
  }
  const amount = amountOf(quoteAmount, pair.quoteScale);
  if (!amount.ok) return fail(faultOf("quoteAmount", amount));
  if (amount.value < pair.valueStepsMin) return fail([{ field: "quoteAmount", message: `must be at least ${minimum(pair)}` }]);
  return ok({ ticks: 0, lots: 0, quoteAmount: amount.value });
}

function faultOf(field: string, read: Result<unknown, string>): readonly FieldFault[] {
  return read.ok ? [] : [{ field, message: read.reason }];
}

function minimum({ valueStepsMin, quoteScale, quoteCurrency }: KnownPair): string {
  return `the minimum, ${amountText(valueStepsMin, quoteScale)} ${quoteCurrency.toUpperCase()}`;
}
