import { assert } from "../../shared/assert.ts";
import type {
  BalanceRow,
  CurrencyRow,
  MovementRow,
  OrderRow,
  PairRow,
  ReferenceKind,
  ReferenceRow,
  TradeRow,
} from "../engine/changes.ts";
import type { CancelReason, OrderSide, OrderStatus, OrderType, TimeInForce } from "../engine/terms.ts";
import { amountField, amountFrom, TERMS_FIELDS, termsFields, termsFrom } from "./command-text.ts";

/** Rows as arrays without property names, in the journal and, where recovery reads them, in the projections. */
export type Fields = (string | number)[];
export type ReadFields = readonly unknown[];

export function orderFields(row: OrderRow): Fields {
  return [
    row.id,
    row.user,
    row.pair,
    row.grid,
    row.side,
    row.type,
    row.timeInForce,
    row.postOnly ? 1 : 0,
    row.ticks,
    row.lots,
    amountField(row.quoteAmount),
    row.filledLots,
    amountField(row.filledValue),
    amountField(row.feePaid),
    row.status,
    row.cancelReason,
    row.clientOrderId,
    row.createdAt,
    row.updatedAt,
  ];
}

const ORDER_FIELDS = 19;

export function orderFrom(fields: ReadFields): OrderRow {
  assert(fields.length === ORDER_FIELDS, "an order's row is complete");
  return {
    id: fields[0] as number,
    user: fields[1] as string,
    pair: fields[2] as string,
    grid: fields[3] as number,
    side: fields[4] as OrderSide,
    type: fields[5] as OrderType,
    timeInForce: fields[6] as TimeInForce,
    postOnly: fields[7] === 1,
    ticks: fields[8] as number,
    lots: fields[9] as number,
    quoteAmount: amountFrom(fields[10]),
    filledLots: fields[11] as number,
    filledValue: amountFrom(fields[12]),
    feePaid: amountFrom(fields[13]),
    status: fields[14] as OrderStatus,
    cancelReason: fields[15] as CancelReason,
    clientOrderId: fields[16] as string,
    createdAt: fields[17] as number,
    updatedAt: fields[18] as number,
  };
}

export function tradeFields(row: TradeRow): Fields {
  return [
    row.id,
    row.pair,
    row.grid,
    row.at,
    row.ticks,
    row.lots,
    amountField(row.value),
    row.takerSide,
    row.buyOrderId,
    row.sellOrderId,
    row.buyUser,
    row.sellUser,
    amountField(row.buyFee),
    amountField(row.sellFee),
  ];
}

const TRADE_FIELDS = 14;

export function tradeFrom(fields: ReadFields): TradeRow {
  assert(fields.length === TRADE_FIELDS, "a trade's row is complete");
  return {
    id: fields[0] as number,
    pair: fields[1] as string,
    grid: fields[2] as number,
    at: fields[3] as number,
    ticks: fields[4] as number,
    lots: fields[5] as number,
    value: amountFrom(fields[6]),
    takerSide: fields[7] as OrderSide,
    buyOrderId: fields[8] as number,
    sellOrderId: fields[9] as number,
    buyUser: fields[10] as string,
    sellUser: fields[11] as string,
    buyFee: amountFrom(fields[12]),
    sellFee: amountFrom(fields[13]),
  };
}

export const balanceFields = (row: BalanceRow): Fields => [
  row.user,
  row.currency,
  amountField(row.available),
  amountField(row.frozen),
];

export function balanceFrom(fields: ReadFields): BalanceRow {
  const [user, currency, available, frozen] = fields;
  return {
    user: user as string,
    currency: currency as string,
    available: amountFrom(available),
    frozen: amountFrom(frozen),
  };
}

export const movementFields = (row: MovementRow): Fields => [
  ...[row.kind, row.commandId, row.at, row.from, row.to, row.currency, amountField(row.amount), row.reference],
];

export function movementFrom(fields: ReadFields): MovementRow {
  const [kind, commandId, at, from, to, currency, amount, reference] = fields;
  return {
    kind: kind as MovementRow["kind"],
    commandId: commandId as string,
    at: at as number,
    from: from as string,
    to: to as string,
    currency: currency as string,
    amount: amountFrom(amount),
    reference: reference as string,
  };
}

export const currencyFields = (row: CurrencyRow): Fields => [row.currency, row.scale, amountField(row.supply)];

export function currencyFrom(fields: ReadFields): CurrencyRow {
  const [currency, scale, supply] = fields;
  return { currency: currency as string, scale: scale as number, supply: amountFrom(supply) };
}

export const pairFields = (row: PairRow): Fields => [...termsFields(row), row.version, row.grid, row.lastTicks];

export function pairFrom(fields: ReadFields): PairRow {
  const [version, grid, lastTicks] = fields.slice(TERMS_FIELDS);
  return { ...termsFrom(fields), version: version as number, grid: grid as number, lastTicks: lastTicks as number };
}

export const referenceFields = (row: ReferenceRow): Fields => [
  ...[row.kind, row.user, row.reference, row.digest, row.orderId, row.at, row.number],
];

export function referenceFrom(fields: ReadFields): ReferenceRow {
  // Entries of the first format have no number.
  const [kind, user, reference, digest, orderId, at, number = 0] = fields;
  return {
    kind: kind as ReferenceKind,
    user: user as string,
    reference: reference as string,
    digest: digest as string,
    orderId: orderId as number,
    at: at as number,
    number: number as number,
  };
}
