import { assert } from "../../shared/assert.ts";
import type {
  BalanceRow,
  ConditionRow,
  CurrencyRow,
  ListRow,
  MovementRow,
  OrderRow,
  PairRow,
  ReferenceKind,
  ReferenceRow,
  UserRow,
  WaveRow,
} from "../engine/changes.ts";
import type {
  CancelReason,
  ConditionPhase,
  ListKind,
  ListRole,
  OrderSide,
  OrderStatus,
  OrderType,
  SelfTrade,
  TimeInForce,
} from "../engine/terms.ts";
import { amountField, amountFrom } from "./amount-field.ts";
import { auctionFields, auctionFrom } from "./auction-fields.ts";
import { TERMS_FIELDS, termsFields, termsFrom } from "./command-text.ts";

/** Rows as arrays without property names, in the journal and, where recovery reads them, in the projections. */
export type Fields = (string | number | Fields)[];
export type ReadFields = readonly unknown[];

/** A plain order has 19 fields; one with conditions has them as its 20th. */
export function orderFields(row: OrderRow): Fields {
  const fields: Fields = [
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
  if (row.conditions !== undefined) fields.push(conditionRowFields(row.conditions));
  return fields;
}

const ORDER_FIELDS = 19;

export function orderFrom(fields: ReadFields): OrderRow {
  const isPlain = fields.length === ORDER_FIELDS;
  assert(isPlain || fields.length === ORDER_FIELDS + 1, "an order's row is complete");
  const order = plainOrderFrom(fields);
  return isPlain ? order : { ...order, conditions: conditionRowFrom(fields[ORDER_FIELDS] as ReadFields) };
}

export function conditionRowFields(row: ConditionRow): Fields {
  return [
    ...[row.phase, row.stopTicks, row.trailingBps, row.extremeTicks, row.triggeredAt, row.expiresAt, row.selfTrade],
    ...[row.priority, amountField(row.reserved), row.listId, row.role, row.buyOrderId, row.sellOrderId],
    ...[row.targetProfitPpm, row.stopLossPpm, row.originalLots, row.preventedLots],
  ];
}

const CONDITION_FIELDS = 17;

export function conditionRowFrom(fields: ReadFields): ConditionRow {
  assert(fields.length === CONDITION_FIELDS, "the conditions of an order are complete");
  const number = (index: number) => fields[index] as number;
  return {
    phase: fields[0] as ConditionPhase,
    stopTicks: number(1),
    trailingBps: number(2),
    extremeTicks: number(3),
    triggeredAt: number(4),
    expiresAt: number(5),
    selfTrade: fields[6] as SelfTrade,
    priority: number(7),
    reserved: amountFrom(fields[8]),
    listId: number(9),
    role: fields[10] as ListRole,
    buyOrderId: number(11),
    sellOrderId: number(12),
    targetProfitPpm: number(13),
    stopLossPpm: number(14),
    originalLots: number(15),
    preventedLots: number(16),
  };
}

export function listFields(row: ListRow): Fields {
  return [
    ...[row.id, row.user, row.pair, row.kind, row.clientListId, [...row.orderIds], row.status],
    ...[amountField(row.reserved), row.dueAs, row.targetProfitPpm, row.stopLossPpm, row.boughtLots],
    ...[amountField(row.boughtValue), row.createdAt, row.updatedAt],
  ];
}

const LIST_FIELDS = 15;

export function listFrom(fields: ReadFields): ListRow {
  assert(fields.length === LIST_FIELDS, "a list's row is complete");
  return {
    id: fields[0] as number,
    user: fields[1] as string,
    pair: fields[2] as string,
    kind: fields[3] as ListKind,
    clientListId: fields[4] as string,
    orderIds: fields[5] as readonly number[],
    status: fields[6] as ListRow["status"],
    reserved: amountFrom(fields[7]),
    dueAs: fields[8] as number,
    targetProfitPpm: fields[9] as number,
    stopLossPpm: fields[10] as number,
    boughtLots: fields[11] as number,
    boughtValue: amountFrom(fields[12]),
    createdAt: fields[13] as number,
    updatedAt: fields[14] as number,
  };
}

function plainOrderFrom(fields: ReadFields): OrderRow {
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

/** The 14th field is a list of waves, the 15th the auction: most pairs never have either. */
export function pairFields(row: PairRow): Fields {
  const fields: Fields = [...termsFields(row), row.version, row.grid, row.lastTicks];
  const waves = (row.waves ?? []).map(waveFields);
  if (row.auction.number > 0) return [...fields, waves, [row.opensAt, row.freezeMs, ...auctionFields(row.auction)]];
  return waves.length === 0 ? fields : [...fields, waves];
}

export function pairFrom(fields: ReadFields): PairRow {
  const [version, grid, lastTicks, waves = [], scheduled = []] = fields.slice(TERMS_FIELDS);
  const [opensAt = 0, freezeMs = 0, ...auction] = scheduled as number[];
  const row = {
    ...termsFrom(fields),
    opensAt,
    freezeMs,
    version: version as number,
    grid: grid as number,
    lastTicks: lastTicks as number,
    auction: auctionFrom(auction),
  };
  const read = (waves as ReadFields[]).map(waveFrom);
  return read.length === 0 ? row : { ...row, waves: read };
}

export const waveFields = (row: WaveRow): Fields => [
  row.as,
  row.isRising ? 1 : 0,
  row.fromTicks,
  row.toTicks,
  row.before,
];

export function waveFrom(fields: ReadFields): WaveRow {
  const [as, isRising, fromTicks, toTicks, before] = fields as readonly number[];
  return {
    as: as as number,
    isRising: isRising === 1,
    fromTicks: fromTicks as number,
    toTicks: toTicks as number,
    before: before as number,
  };
}

export const userFields = (row: UserRow): Fields => [
  row.user,
  row.isFrozen ? 1 : 0,
  ...(row.cancelAt === undefined ? [] : [row.cancelAt]),
];

export function userFrom(fields: ReadFields): UserRow {
  const [user, isFrozen, cancelAt] = fields;
  const row = { user: user as string, isFrozen: isFrozen === 1 };
  return cancelAt === undefined ? row : { ...row, cancelAt: cancelAt as number };
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
