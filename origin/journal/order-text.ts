import type { ListOrder, OrderConditions, PlaceList, PlaceOrder, ReplaceOrder } from "../engine/command.ts";
import type { OrderSide, OrderType, SelfTrade, TimeInForce } from "../engine/terms.ts";
import { amountField, amountFrom } from "./amount-field.ts";

/** The commands that place orders, as fields (`command-text.ts`). */
export type CommandFields = readonly CommandField[];
export type CommandField = string | number | CommandFields;

export function placeFields(body: PlaceOrder, at: CommandField): CommandFields {
  const fields: CommandField[] = [
    "p",
    at,
    body.user,
    body.pair,
    body.grid,
    body.side,
    body.type,
    body.ticks,
    body.lots,
    amountField(body.quoteAmount),
    body.timeInForce,
    body.postOnly ? 1 : 0,
    body.selfTrade,
    body.clientOrderId,
    body.openOrdersMax,
  ];
  if (body.conditions !== undefined) fields.push(conditionFields(body.conditions));
  return fields;
}

/** Without what the list has for all of its orders. */
export function listOrderFields(order: ListOrder): CommandFields {
  return [
    ...[order.side, order.type, order.ticks, order.lots, amountField(order.quoteAmount), order.timeInForce],
    ...[order.postOnly ? 1 : 0, order.selfTrade, order.clientOrderId],
    ...(order.conditions === undefined ? [] : [conditionFields(order.conditions)]),
  ];
}

function conditionFields(conditions: OrderConditions): CommandFields {
  const { stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm } = conditions;
  return [stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm];
}

export function orderFrom(fields: CommandFields): PlaceOrder {
  const order: PlaceOrder = {
    kind: "place",
    user: fields[2] as string,
    pair: fields[3] as string,
    grid: fields[4] as number,
    side: fields[5] as OrderSide,
    type: fields[6] as OrderType,
    ticks: fields[7] as number,
    lots: fields[8] as number,
    quoteAmount: amountFrom(fields[9]),
    timeInForce: fields[10] as TimeInForce,
    postOnly: fields[11] === 1,
    selfTrade: fields[12] as SelfTrade,
    clientOrderId: fields[13] as string,
    openOrdersMax: fields[14] as number,
  };
  // A plain order has no such property at all, so that all of them have one shape.
  return fields.length === PLAIN_FIELDS ? order : { ...order, conditions: conditionsFrom(fields[PLAIN_FIELDS]) };
}

const PLAIN_FIELDS = 15;

function conditionsFrom(field: CommandField | undefined): OrderConditions {
  const [stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm] = field as readonly number[];
  return {
    stopTicks: stopTicks as number,
    trailingBps: trailingBps as number,
    expiresAt: expiresAt as number,
    targetProfitPpm: targetProfitPpm as number,
    stopLossPpm: stopLossPpm as number,
  };
}

export function replaceFrom(rest: CommandFields): ReplaceOrder {
  const [user, orderId, clientOrderId, onFailure, order] = rest;
  return {
    kind: "replace",
    user: user as string,
    orderId: orderId as number,
    clientOrderId: clientOrderId as string,
    onFailure: onFailure as ReplaceOrder["onFailure"],
    order: orderFrom(order as CommandFields),
  };
}

export function listFrom(rest: CommandFields): PlaceList {
  const [user, pair, grid, list, clientListId, openOrdersMax, orders] = rest;
  return {
    kind: "placeList",
    user: user as string,
    pair: pair as string,
    grid: grid as number,
    list: list as PlaceList["list"],
    clientListId: clientListId as string,
    openOrdersMax: openOrdersMax as number,
    orders: (orders as readonly CommandFields[]).map(listOrderFrom),
  };
}

function listOrderFrom(fields: CommandFields): ListOrder {
  const [side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade, clientOrderId, conditions] = fields;
  return {
    side: side as OrderSide,
    type: type as OrderType,
    ticks: ticks as number,
    lots: lots as number,
    quoteAmount: amountFrom(quoteAmount),
    timeInForce: timeInForce as TimeInForce,
    postOnly: postOnly === 1,
    selfTrade: selfTrade as SelfTrade,
    clientOrderId: clientOrderId as string,
    ...(conditions === undefined ? {} : { conditions: conditionsFrom(conditions) }),
  };
}
