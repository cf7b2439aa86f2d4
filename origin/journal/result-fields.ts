import { assert } from "../../shared/assert.ts";
import type { ListRow, OrderRow, TradeRow } from "../engine/changes.ts";
import type { Outcome, RejectCode } from "../engine/outcome.ts";
import { listFrom, orderFrom, type ReadFields } from "./row-fields.ts";
import { tradeFrom } from "./trade-fields.ts";

/** The outcome of a command. */
export type CommandResult = { readonly user: string; readonly outcome: Outcome };

/** The rows of a journal entry, from its time on: in the same places in all formats. Formats 1 and 2 have no lists. */
export type BodyRows = readonly [number, number, number, ...(readonly ReadFields[])[]];

/** A result refers to the rows of the same entry. */
export function resultFields({ user, outcome }: CommandResult): unknown {
  switch (outcome.kind) {
    case "order":
      return isFoundByOrder(outcome.order) ? outcome.order.id : ["o", user, outcome.order.id, ...tradeSpan(outcome)];
    case "list":
      return ["l", user, outcome.list.id, outcome.orders.map(({ id }) => id), ...tradeSpan(outcome)];
    case "replaced":
      return ["p", user, partField(outcome.cancelled), partField(outcome.placed), ...tradeSpan(outcome)];
    case "cancelAfter":
      return ["a", user, outcome.cancelAt];
    case "cancelled":
      return ["c", user, outcome.orders.map(({ id }) => id), outcome.hasMore ? 1 : 0];
    case "done":
      return ["d", user];
    case "repetition":
      return ["r", user, outcome.orderId];
    case "rejected":
      return ["x", user, outcome.code];
  }
}

/** It takes only in its own command, and an amend has no row of this form. */
const isFoundByOrder = ({ conditions }: OrderRow) => conditions === undefined;

/** The first trade and their number: the trades of one order in one command are consecutive. */
const tradeSpan = ({ trades }: { readonly trades: readonly TradeRow[] }) =>
  trades.length === 0 ? [] : [trades[0]?.id ?? 0, trades.length];

const partField = (part: OrderRow | RejectCode) => (typeof part === "string" ? part : part.id);

type ResultFields = readonly [kind: string, user: string, ...unknown[]];

export function resultFrom(result: unknown, fields: BodyRows): CommandResult {
  if (typeof result === "number") return placed(result, fields);
  const [kind, user, first, second, third, fourth] = result as ResultFields;
  switch (kind) {
    case "o":
      return {
        user,
        outcome: { kind: "order", order: orderIn(fields, first), trades: tradesIn(fields, second, third) },
      };
    case "l":
      return {
        user,
        outcome: {
          kind: "list",
          list: listIn(fields, first),
          orders: (second as number[]).map((id) => orderIn(fields, id)),
          trades: tradesIn(fields, third, fourth),
        },
      };
    case "p":
      return {
        user,
        outcome: {
          kind: "replaced",
          cancelled: partIn(fields, first),
          placed: partIn(fields, second),
          trades: tradesIn(fields, third, fourth),
        },
      };
    case "a":
      return { user, outcome: { kind: "cancelAfter", cancelAt: first as number } };
    case "r":
      return { user, outcome: { kind: "repetition", orderId: first as number } };
    case "c": {
      const ids = new Set(first as number[]);
      const orders = ordersIn(fields).filter(([id]) => ids.has(id as number));
      return { user, outcome: { kind: "cancelled", orders: orders.map(orderFrom), hasMore: second === 1 } };
    }
    case "d":
      return { user, outcome: { kind: "done" } };
    case "x":
      return { user, outcome: { kind: "rejected", code: first as RejectCode } };
    default:
      assert(false, "a result is of a known kind");
  }
}

function orderIn(fields: BodyRows, orderId: unknown): OrderRow {
  const row = ordersIn(fields).find(([id]) => id === orderId);
  assert(row !== undefined, "a placed order's row is in the same entry");
  return orderFrom(row);
}

function listIn(fields: BodyRows, listId: unknown): ListRow {
  const row = (fields[LISTS_AT] as readonly ReadFields[] | undefined)?.find(([id]) => id === listId);
  assert(row !== undefined, "a placed list's row is in the same entry");
  return listFrom(row);
}

const LISTS_AT = 11;

const partIn = (fields: BodyRows, part: unknown) =>
  typeof part === "string" ? (part as RejectCode) : orderIn(fields, part);

function tradesIn(fields: BodyRows, firstId: unknown, count: unknown): readonly TradeRow[] {
  if (firstId === undefined) return [];
  const first = firstId as number;
  const isOurs = ([id]: ReadFields) => (id as number) >= first && (id as number) < first + (count as number);
  return (fields[4] as readonly ReadFields[]).filter(isOurs).map(tradeFrom);
}

function placed(orderId: number, fields: BodyRows): CommandResult {
  const order = orderIn(fields, orderId);
  // A plain order is the taker only in its own command; later it can only be the maker. An auction has no taker.
  const trades = (fields[4] as readonly ReadFields[])
    .map(tradeFrom)
    .filter((trade) => trade.auction === 0 && takerOrderId(trade) === orderId);
  return { user: order.user, outcome: { kind: "order", order, trades } };
}

const ordersIn = (fields: BodyRows) => fields[3] as readonly ReadFields[];

function takerOrderId(trade: {
  readonly takerSide: string;
  readonly buyOrderId: number;
  readonly sellOrderId: number;
}): number {
  return trade.takerSide === "buy" ? trade.buyOrderId : trade.sellOrderId;
}
