import type { NewOrder, TradingFault } from "./trading-port.ts";

/** Fields that an order of its type must have or cannot have, whatever the pair. */
export function limitFaults({
  type,
  price,
  quantity,
  quoteAmount,
  postOnly,
  timeInForce = "GTC",
}: NewOrder): readonly TradingFault[] {
  const faults: TradingFault[] = [];
  if (price === undefined)
    faults.push({ field: "price", rule: "missing", message: `is required for a ${NAMES[type]}` });
  if (quantity === undefined)
    faults.push({ field: "quantity", rule: "missing", message: `is required for a ${NAMES[type]}` });
  if (quoteAmount !== undefined)
    faults.push({ field: "quoteAmount", rule: "unsupported", message: "is for orders that trade at the market" });
  if (postOnly && type !== "limit")
    faults.push({ field: "postOnly", rule: "unsupported", message: "is for limit orders without a trigger" });
  if (postOnly && timeInForce !== "GTC" && timeInForce !== "GTD")
    faults.push({
      field: "postOnly",
      rule: "unsupported",
      message: "requires GTC or GTD: other orders never rest in the book",
    });
  return faults;
}

export function marketFaults({
  type,
  price,
  quantity,
  quoteAmount,
  postOnly,
  timeInForce = "IOC",
}: NewOrder): readonly TradingFault[] {
  const faults: TradingFault[] = [];
  if (price !== undefined) faults.push({ field: "price", rule: "unsupported", message: "is for orders with a limit" });
  if ((quantity === undefined) === (quoteAmount === undefined)) {
    const rule = quantity === undefined ? "missing" : "unsupported";
    faults.push({ field: "quantity", rule, message: `a ${NAMES[type]} has either a quantity or a quoteAmount` });
  }
  if (postOnly) faults.push({ field: "postOnly", rule: "unsupported", message: "is for limit orders" });
  if (type === "market" && (timeInForce === "GTC" || timeInForce === "GTD"))
    faults.push({ field: "timeInForce", rule: "unsupported", message: "must be IOC or FOK for a market order" });
  return faults;
}

/** Of the trigger, the expiry, the exit and self-trade prevention. */
export function conditionFaults(order: NewOrder): readonly TradingFault[] {
  return [...triggerFaults(order), ...expiryFaults(order), ...exitFaults(order), ...selfTradeFaults(order)];
}

const NONE: readonly TradingFault[] = [];

function triggerFaults({ type, stopPrice, trailingBps }: NewOrder): readonly TradingFault[] {
  if (type !== "limit" && type !== "market") {
    if (trailingBps === 0) return [{ ...fault("trailingBps", "must be from 1 to 5000"), code: "trailing_invalid" }];
    if (stopPrice !== undefined || trailingBps !== undefined) return NONE;
    const message = `is required for a ${NAMES[type]}, unless it has trailingBps`;
    return [{ field: "stopPrice", rule: "missing", code: "trigger_price_missing", message }];
  }
  if (stopPrice === undefined && trailingBps === undefined) return NONE;
  return [fault(stopPrice === undefined ? "trailingBps" : "stopPrice", "is for orders with a trigger")];
}

function expiryFaults({ type, expiresAt, timeInForce }: NewOrder): readonly TradingFault[] {
  const refuse = (message: string): readonly TradingFault[] => [
    { ...fault("expiresAt", message), code: "expiry_invalid" },
  ];
  if (expiresAt === undefined) return timeInForce === "GTD" && type !== "market" ? refuse("is required for GTD") : NONE;
  if (type === "market") return refuse("is for orders that can wait");
  if (timeInForce !== undefined && timeInForce !== "GTD") return refuse("requires GTD");
  return expiresAt === 0 ? refuse("must be in the future") : NONE;
}

function exitFaults({ type, side, targetProfit, stopLoss }: NewOrder): readonly TradingFault[] {
  if (targetProfit === undefined && stopLoss === undefined) return NONE;
  if (side === "buy" && (type === "limit" || type === "market")) return NONE;
  const field = targetProfit === undefined ? "stopLoss" : "targetProfit";
  return [{ ...fault(field, "is for limit and market orders that buy"), code: "percentage_invalid" }];
}

function selfTradeFaults({ selfTrade, selfTradePrevention }: NewOrder): readonly TradingFault[] {
  if (selfTrade === undefined || selfTradePrevention === undefined) return NONE;
  return [fault("selfTradePrevention", "is the earlier name of selfTrade: send one of them")];
}

const fault = (field: string, message: string) => ({ field, rule: "unsupported", message }) as const;

const NAMES = {
  limit: "limit order",
  market: "market order",
  stop: "stop order",
  stopLimit: "stop-limit order",
  takeProfit: "take-profit order",
  takeProfitLimit: "take-profit-limit order",
} as const;
