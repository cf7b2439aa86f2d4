import type { BalanceRow, ConditionRow, ListRow, OrderRow, TradeRow } from "../../origin/engine/changes.ts";
import type { Command } from "../../origin/engine/command.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import type { PairTerms } from "../../origin/engine/terms.ts";
import { type NaiveRecord, naiveTick } from "./naive-auction.ts";
import { naiveCancel, naiveCancelAll, naiveCancelList } from "./naive-cancel.ts";
import { naiveAmend, naiveCancelAfter, naiveReplace } from "./naive-change.ts";
import { naiveList } from "./naive-list-orders.ts";
import { naiveMove } from "./naive-movements.ts";
import { naivePlace } from "./naive-orders.ts";
import { naiveSetCurrency, naiveSetPair, naiveSetUser } from "./naive-settings.ts";
import { naiveDue, naiveWork } from "./naive-work.ts";

/**
 * The venue again, as simple as possible: linear searches, bigints everywhere, nothing indexed, nothing forgotten. It
 * shares the engine's types and none of its code, so that only a mistake made twice goes unnoticed.
 */
export type NaiveVenue = {
  at: number;
  readonly bounds: NaiveBounds;
  readonly currencies: { readonly name: string; readonly scale: number; supply: bigint }[];
  readonly pairs: NaivePair[];
  readonly users: { readonly name: string; isFrozen: boolean; cancelAt: number }[];
  readonly balances: { -readonly [Key in keyof BalanceRow]: BalanceRow[Key] }[];
  /** Orders, lists and priorities take their numbers from here. */
  nextNumber: number;
  /** Every order ever placed. */
  readonly orders: NaiveOrder[];
  readonly lists: NaiveList[];
  /** The work left, in order: lists, and orders whose trigger was reached by one price. */
  readonly work: NaiveWork[];
  workLeft: number;
  readonly trades: TradeRow[];
  /** By pair and number. */
  readonly auctions: Map<string, NaiveRecord>;
  readonly names: {
    readonly kind: string;
    readonly user: string;
    readonly name: string;
    readonly content: string;
    readonly orderId: number;
    readonly at: number;
  }[];
};

export type NaiveBounds = {
  readonly openOrdersMax: number;
  readonly namesPerUserMax: number;
  readonly usersMax: number;
  readonly fillsMax: number;
  readonly cancelsMax: number;
  readonly workMax: number;
  readonly trailingMax: number;
};

export type NaivePair = {
  terms: PairTerms;
  version: number;
  grid: number;
  lastTicks: number;
  /** The parts of an auction's progress that the naive venue can know: it does not walk as the engine does. */
  auction: { number: number; rungAt: number };
  /** From the beginning of an auction until the pair trades. The steps are made at the bell. */
  opening: NaiveOpening | null;
};

/** The steps of an uncross that are left, each with its cost. Null while orders are collected. */
export type NaiveOpening = { steps: { readonly cost: number; readonly run: () => void }[] | null };
export type NaiveConditions = { -readonly [Key in keyof ConditionRow]: ConditionRow[Key] };
export type NaiveOrder = { -readonly [Key in keyof Omit<OrderRow, "conditions">]: OrderRow[Key] } & {
  conditions?: NaiveConditions;
};
export type NaiveList = { -readonly [Key in keyof Omit<ListRow, "dueAs" | "updatedAt" | "status">]: ListRow[Key] };
/** An order is meant as it waited then: with this priority. */
export type NaiveWork = { readonly pair: string } & (
  | { readonly list: NaiveList }
  | { readonly reached: { readonly order: NaiveOrder; readonly priority: number }[] }
);

export function createNaiveVenue(bounds: NaiveBounds): NaiveVenue {
  const house = { name: "house", isFrozen: false, cancelAt: 0 };
  return {
    at: 0,
    bounds,
    currencies: [],
    pairs: [],
    users: [house],
    balances: [],
    nextNumber: 1,
    orders: [],
    lists: [],
    work: [],
    workLeft: 0,
    trades: [],
    auctions: new Map(),
    names: [],
  };
}

export function naiveApply(venue: NaiveVenue, command: Command): Outcome {
  if (command.at > venue.at) venue.at = command.at;
  venue.workLeft = venue.bounds.workMax;
  naiveDue(venue);
  const outcome = execute(venue, command);
  naiveWork(venue);
  return outcome;
}

function execute(venue: NaiveVenue, command: Command): Outcome {
  switch (command.kind) {
    case "place":
      return naivePlace(venue, command);
    case "cancel":
      return naiveCancel(venue, command);
    case "cancelAll":
      return naiveCancelAll(venue, command);
    case "amend":
      return naiveAmend(venue, command);
    case "replace":
      return naiveReplace(venue, command);
    case "placeList":
      return naiveList(venue, command);
    case "cancelList":
      return naiveCancelList(venue, command);
    case "cancelAfter":
      return naiveCancelAfter(venue, command);
    case "tick":
      naiveTick(venue);
      return { kind: "done" };
    case "setCurrency":
      return naiveSetCurrency(venue, command.currency, command.scale);
    case "setPair":
      return naiveSetPair(venue, command.terms);
    case "setUser":
      return naiveSetUser(venue, command.user, command.isFrozen);
    case "deposit":
    case "withdraw":
    case "transfer":
      return naiveMove(venue, command);
  }
}
