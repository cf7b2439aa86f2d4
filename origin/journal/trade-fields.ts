import { assert } from "../../shared/assert.ts";
import type { TradeRow } from "../engine/changes.ts";
import type { OrderSide } from "../engine/terms.ts";
import { amountField, amountFrom } from "./amount-field.ts";
import type { Fields, ReadFields } from "./row-fields.ts";

/** A trade has 14 fields; one of an auction has the auction's number as its 15th. */
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
    ...(row.auction === 0 ? [] : [row.auction]),
  ];
}

const TRADE_FIELDS = 14;

export function tradeFrom(fields: ReadFields): TradeRow {
  assert(fields.length === TRADE_FIELDS || fields.length === TRADE_FIELDS + 1, "a trade's row is complete");
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
    auction: (fields[14] ?? 0) as number,
  };
}
