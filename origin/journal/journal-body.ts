import { assert } from "../../shared/assert.ts";
import type { Changes } from "../engine/changes.ts";
import type { Command, Nonce } from "../engine/command.ts";
import { auctionRowFields, auctionRowFrom } from "./auction-fields.ts";
import { type CommandPlace, commandFields, commandFrom, commandIdOf, nonceFrom } from "./command-text.ts";
import type { CommandFields } from "./order-text.ts";
import { type BodyRows, type CommandResult, resultFields, resultFrom } from "./result-fields.ts";
import {
  balanceFields,
  balanceFrom,
  currencyFields,
  currencyFrom,
  listFields,
  listFrom,
  movementFields,
  movementFrom,
  orderFields,
  orderFrom,
  pairFields,
  pairFrom,
  referenceFields,
  referenceFrom,
  userFields,
  userFrom,
} from "./row-fields.ts";
import { tradeFields, tradeFrom } from "./trade-fields.ts";

export type AppliedCommand = CommandResult & { readonly command: Command };

/** Consecutive commands of one append (which may be split between two entries) or of one process's own numbers. */
export type AppliedGroup = GroupPlace & { readonly results: readonly AppliedCommand[] };

type GroupPlace =
  | { readonly entryId: string; readonly firstIndex: number }
  | { readonly node: string; readonly epoch: number; readonly firstNumber: number };

/**
 * The text of a journal entry: its format, the changes of a batch in absolute terms, the outcome of each command, and
 * the commands themselves in the order in which they were applied, rejected ones too. The outcome of a placed order is
 * its id; its row and its trades are in the same entry. A plain order takes only in its own command, so its trades are
 * found by its id; of every other order the outcome names the trades.
 */
export function journalBody(changes: Changes, groups: readonly AppliedGroup[]): string {
  return JSON.stringify([
    FORMAT,
    changes.at,
    changes.nextOrderId,
    changes.nextTradeId,
    changes.orders.map(orderFields),
    changes.trades.map(tradeFields),
    changes.balances.map(balanceFields),
    changes.movements.map(movementFields),
    changes.currencies.map(currencyFields),
    changes.pairs.map(pairFields),
    changes.users.map(userFields),
    changes.references.map(referenceFields),
    (changes.lists ?? []).map(listFields),
    (changes.auctions ?? []).map(auctionRowFields),
    groups.map(groupFields),
    groups.flatMap(({ results }) => results.map(({ command }) => commandFields(command, command.at))),
  ]);
}

/** The third has order lists, auctions, and orders with conditions. */
const FORMAT = 3;

/** A local group's node is marked, so that it is never taken for an append's id. */
const LOCAL_MARK = "@";

function groupFields(group: AppliedGroup): GroupFields {
  const results = group.results.map(resultFields);
  if ("entryId" in group) return [group.entryId, group.firstIndex, results];
  return [`${LOCAL_MARK}${group.node}`, group.firstNumber, results, group.epoch];
}

type GroupFields = readonly [source: string, first: number, results: readonly unknown[], epoch?: number];

/** The rows, which all formats have in the same places, the results, and the commands. */
type Body = {
  readonly fields: BodyRows;
  readonly groups: readonly GroupFields[];
  /** Undefined in format 1. */
  readonly commands: readonly CommandFields[] | undefined;
};

/** Its first field is the time, which is larger than the number of any format; the others begin with their number. */
const FIELDS_1 = 12;
const FIELDS_OF: Readonly<Record<number, number>> = { 2: 14, 3: 16 };

function bodyFrom(text: string): Body {
  const body: unknown = JSON.parse(text);
  assert(Array.isArray(body), "a journal entry is a list");
  const isFirst = body[0] > FORMAT && body.length === FIELDS_1;
  assert(isFirst || FIELDS_OF[body[0]] === body.length, "a journal entry is complete and of a known format");
  const [groups, commands] = isFirst ? [body.at(-1), undefined] : body.slice(-2);
  return { fields: (isFirst ? body.slice(0, -1) : body.slice(1, -2)) as unknown as BodyRows, groups, commands };
}

/** The engine's time after the batch, without reading the rest. */
export function bodyTime(text: string): number {
  const time = Number(/^\[(?:[23],)?(\d+),/.exec(text)?.[1]);
  assert(Number.isSafeInteger(time), "a journal entry tells its time");
  return time;
}

/** The commands of an entry, in the order in which they were applied; undefined in format 1. */
export function commandsIn({
  body,
  sequence,
}: {
  readonly body: string;
  readonly sequence: number;
}): readonly Command[] | undefined {
  const { groups, commands } = bodyFrom(body);
  if (commands === undefined) return undefined;
  const ids = groups.flatMap((group) => group[2].map((_, place) => commandIdOf(placeIn(group, place, sequence))));
  assert(ids.length === commands.length, "a journal entry has a result for each command");
  return commands.map((fields, index) => commandFrom(fields, ids[index] ?? ""));
}

function placeIn([source, first, , epoch = 0]: GroupFields, place: number, sequence: number): CommandPlace {
  if (!source.startsWith(LOCAL_MARK)) return { entryId: source, index: first + place };
  return { epoch, sequence, node: source.slice(LOCAL_MARK.length), number: first + place };
}

export function changesFrom(text: string): Changes {
  const body = bodyFrom(text);
  const [at, nextOrderId, nextTradeId, ...lists] = body.fields;
  const [
    orders = [],
    trades = [],
    balances = [],
    movements = [],
    currencies = [],
    pairs = [],
    users = [],
    references = [],
    orderLists = [],
    auctions = [],
  ] = lists;
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
    users: users.map(userFrom),
    references: references.map(referenceFrom),
    ...(orderLists.length === 0 ? {} : { lists: orderLists.map(listFrom) }),
    ...(auctions.length === 0 ? {} : { auctions: auctions.map(auctionRowFrom) }),
    nonces: noncesOf(body),
  };
}

/** The nonces of an entry's commands that were remembered; none in format 1. */
export function noncesIn(text: string): readonly Nonce[] {
  return noncesOf(bodyFrom(text));
}

function noncesOf({ groups, commands = [] }: Body): readonly Nonce[] {
  const nonces = commands.map(([, at]) => nonceFrom(at));
  if (nonces.every((nonce) => nonce === undefined)) return [];
  const results = groups.flatMap(([, , ofGroup]) => ofGroup);
  return nonces.filter((nonce, place) => nonce !== undefined && !hasLeftNone(results[place])) as Nonce[];
}

/** The engine refused the command before it remembered the nonce. */
function hasLeftNone(result: unknown): boolean {
  return Array.isArray(result) && result[0] === "x" && (result[2] === "nonces_full" || result[2] === "request_expired");
}

/** Of the changes, those that move money, and the terms that they count in. */
export type MoneyChanges = Pick<Changes, "trades" | "movements" | "currencies" | "pairs" | "auctions">;

/** For the ledger, which skips the orders and balances that make up most of an entry. */
export function moneyChangesFrom(text: string): MoneyChanges {
  const [, , , , trades = [], , movements = [], currencies = [], pairs = [], , , , auctions = []] =
    bodyFrom(text).fields;
  return {
    ...(auctions.length === 0 ? {} : { auctions: auctions.map(auctionRowFrom) }),
    trades: trades.map(tradeFrom),
    movements: movements.map(movementFrom),
    currencies: currencies.map(currencyFrom),
    pairs: pairs.map(pairFrom),
  };
}

/** The outcome of one command; undefined if the command is not in the entry. */
export function resultIn(text: string, command: CommandPlace): CommandResult | undefined {
  const { fields, groups } = bodyFrom(text);
  const [wanted, index] =
    "entryId" in command ? [command.entryId, command.index] : [`${LOCAL_MARK}${command.node}`, command.number];
  for (const [source, first, results] of groups) {
    const result = source === wanted ? results[index - first] : undefined;
    if (result !== undefined) return resultFrom(result, fields);
  }
  return undefined;
}

/** The number of commands in an entry. */
export function resultCount(text: string): number {
  return bodyFrom(text).groups.reduce((count, [, , results]) => count + results.length, 0);
}
