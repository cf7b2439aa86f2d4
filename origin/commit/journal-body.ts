import { assert } from "../../shared/assert.ts";
import type { Changes } from "../engine/changes.ts";
import type { Outcome, RejectCode } from "../engine/outcome.ts";
import {
  balanceFields,
  balanceFrom,
  currencyFields,
  currencyFrom,
  movementFields,
  movementFrom,
  orderFields,
  orderFrom,
  pairFields,
  pairFrom,
  type ReadFields,
  referenceFields,
  referenceFrom,
  tradeFields,
  tradeFrom,
} from "./row-fields.ts";

/** What became of the commands of one append, from one of them on: an append may be split between two batches. */
export type ResultGroup = {
  /** The append's id in the stream; with the index behind it, a command's id. */
  readonly entryId: string;
  readonly firstIndex: number;
  readonly results: readonly CommandResult[];
};

export type CommandResult = { readonly user: string; readonly outcome: Outcome };

/**
 * The text of a journal entry: the changes of a batch in absolute terms, then what became of each command. An order that was placed is
 * told by its id alone; its row and its trades stand in the same entry.
 */
export function journalBody(changes: Changes, groups: readonly ResultGroup[]): string {
  return JSON.stringify([
    changes.at,
    changes.nextOrderId,
    changes.nextTradeId,
    changes.orders.map(orderFields),
    changes.trades.map(tradeFields),
    changes.balances.map(balanceFields),
    changes.movements.map(movementFields),
    changes.currencies.map(currencyFields),
    changes.pairs.map(pairFields),
    changes.users.map(({ user, isFrozen }) => [user, isFrozen ? 1 : 0]),
    changes.references.map(referenceFields),
    groups.map(({ entryId, firstIndex, results }) => [entryId, firstIndex, results.map(resultFields)]),
  ]);
}

type Body = readonly [number, number, number, ...(readonly ReadFields[])[]];

const BODY_FIELDS = 12;

export function changesFrom(text: string): Changes {
  const [at, nextOrderId, nextTradeId, ...lists] = bodyFrom(text);
  const [orders = [], trades = [], balances = [], movements = [], currencies = [], pairs = [], users = [], references = []] = lists;
  return {
    at,
    nextOrderId,
    nextTradeId,
    orders: orders.map(orderFrom),
    trades: trades.map(tradeFrom),
    balances: balances.map(balanceFrom),
    movements: movements.map(movementFrom),
    currencies: currencies.map(currencyFrom),
    pairs: pairs.map(pairFrom),
    users: users.map(([user, isFrozen]) => ({ user: user as string, isFrozen: isFrozen === 1 })),
    references: references.map(referenceFrom),
  };
}

/** Of the changes, those that move money, and the terms that they count in. */
export type MoneyChanges = Pick<Changes, "trades" | "movements" | "currencies" | "pairs">;

/** For who wants nothing else: most of an entry is orders and balances. */
export function moneyChangesFrom(text: string): MoneyChanges {
  const [, , , , trades = [], , movements = [], currencies = [], pairs = []] = bodyFrom(text);
  return {
    trades: trades.map(tradeFrom),
    movements: movements.map(movementFrom),
    currencies: currencies.map(currencyFrom),
    pairs: pairs.map(pairFrom),
  };
}

/** What an entry says of one command; undefined if it is not among those that the entry speaks of. */
export function resultIn(text: string, command: { readonly entryId: string; readonly index: number }): CommandResult | undefined {
  const body = bodyFrom(text);
  const groups = body[BODY_FIELDS - 1] as readonly [string, number, readonly unknown[]][];
  for (const [entryId, firstIndex, results] of groups) {
    const result = entryId === command.entryId ? results[command.index - firstIndex] : undefined;
    if (result !== undefined) return resultFrom(result, body);
  }
  return undefined;
}

/** How many commands an entry speaks of. */
export function resultCount(text: string): number {
  const groups = bodyFrom(text)[BODY_FIELDS - 1] as readonly (readonly [string, number, readonly unknown[]])[];
  return groups.reduce((count, [, , results]) => count + results.length, 0);
}

function bodyFrom(text: string): Body {
  const body: unknown = JSON.parse(text);
  assert(Array.isArray(body) && body.length === BODY_FIELDS, "a journal entry is complete");
  return body as unknown as Body;
}

function resultFields({ user, outcome }: CommandResult): unknown {
  switch (outcome.kind) {
    case "order":
      return outcome.order.id;
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

function resultFrom(result: unknown, body: Body): CommandResult {
  if (typeof result === "number") return placed(result, body);
  const [kind, user, first, second] = result as readonly [string, unknown, unknown, unknown];
  switch (kind) {
    case "r":
      return { user: user as string, outcome: { kind: "repetition", orderId: first as number } };
    case "c": {
      const ids = new Set(first as number[]);
      const orders = ordersIn(body).filter(([id]) => ids.has(id as number));
      return { user: user as string, outcome: { kind: "cancelled", orders: orders.map(orderFrom), hasMore: second === 1 } };
    }
    case "d":
      return { user: user as string, outcome: { kind: "done" } };
    case "x":
      return { user: user as string, outcome: { kind: "rejected", code: first as RejectCode } };
    default:
      assert(false, "a result is of a known kind");
  }
}

function placed(orderId: number, body: Body): CommandResult {
  const fields = ordersIn(body).find(([id]) => id === orderId);
  assert(fields !== undefined, "an order that was placed stands in the same entry");
  const order = orderFrom(fields);
  // An order takes from the book in its own command only: later it can only be taken from.
  const trades = (body[4] as readonly ReadFields[]).map(tradeFrom).filter((trade) => takerOrderId(trade) === orderId);
  return { user: order.user, outcome: { kind: "order", order, trades } };
}

const ordersIn = (body: Body) => body[3] as readonly ReadFields[];

function takerOrderId(trade: { readonly takerSide: string; readonly buyOrderId: number; readonly sellOrderId: number }): number {
  return trade.takerSide === "buy" ? trade.buyOrderId : trade.sellOrderId;
}
