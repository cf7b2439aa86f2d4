import { assert } from "../../shared/assert.ts";
import type { Command, CommandBody, Nonce } from "../engine/command.ts";
import type { PairState, PairTerms } from "../engine/terms.ts";
import { amountField, amountFrom } from "./amount-field.ts";
import {
  type CommandField,
  type CommandFields,
  listFrom,
  listOrderFields,
  orderFrom,
  placeFields,
  replaceFrom,
} from "./order-text.ts";

/**
 * A command's text in the stream and in the journal: JSON arrays, because property names would be most of the bytes and
 * most of the parsing time. Only our own processes write them, so a command of another shape is a bug, and the engine
 * stops before it applies it. The second element is the command's time, for a signed request with its nonce.
 */
export function commandFields(body: CommandBody, atMs: number): CommandFields {
  const { nonce } = body;
  const at = nonce === undefined ? atMs : [atMs, nonce.id, nonce.until];
  switch (body.kind) {
    case "place":
      return placeFields(body, at);
    case "cancel":
      return ["c", at, body.user, body.orderId, body.clientOrderId];
    case "cancelAll":
      return ["a", at, body.user, body.pair];
    case "amend":
      return ["am", at, body.user, body.orderId, body.clientOrderId, body.lots];
    case "replace":
      return ["rp", at, body.user, body.orderId, body.clientOrderId, body.onFailure, placeFields(body.order, 0)];
    case "placeList":
      return [
        ...["pl", at, body.user, body.pair, body.grid, body.list, body.clientListId, body.openOrdersMax],
        body.orders.map(listOrderFields),
      ];
    case "cancelList":
      return ["cl", at, body.user, body.listId, body.clientListId];
    case "cancelAfter":
      return ["ca", at, body.user, body.afterMs];
    case "tick":
      return ["k", at];
    case "deposit":
      return ["d", at, body.user, body.currency, amountField(body.amount), body.reference];
    case "withdraw":
      return ["w", at, body.user, body.currency, amountField(body.amount), body.reference];
    case "transfer":
      return ["t", at, body.from, body.to, body.currency, amountField(body.amount), body.reference];
    case "setCurrency":
      return ["sc", at, body.currency, body.scale];
    case "setPair":
      return ["sp", at, [...termsFields(body.terms), ...scheduleFields(body.terms)]];
    case "setUser":
      return ["su", at, body.user, body.isFrozen ? 1 : 0];
  }
}

export function commandFrom(fields: CommandFields, id: string): Command {
  const [kind, at] = fields;
  if (kind === "p") return placeFrom(fields, id);
  const head = { id, at: atFrom(at), nonce: nonceFrom(at) };
  const rest = fields.slice(2);
  const text = (index: number) => String(rest[index]);
  const number = (index: number) => Number(rest[index]);
  const amount = (index: number) => amountFrom(rest[index]);
  switch (kind) {
    case "c":
      return { ...head, kind: "cancel", user: text(0), orderId: number(1), clientOrderId: text(2) };
    case "a":
      return { ...head, kind: "cancelAll", user: text(0), pair: text(1) };
    case "am":
      return { ...head, kind: "amend", user: text(0), orderId: number(1), clientOrderId: text(2), lots: number(3) };
    case "rp":
      return { ...head, ...replaceFrom(rest) };
    case "pl":
      return { ...head, ...listFrom(rest) };
    case "cl":
      return { ...head, kind: "cancelList", user: text(0), listId: number(1), clientListId: text(2) };
    case "ca":
      return { ...head, kind: "cancelAfter", user: text(0), afterMs: number(1) };
    case "k":
      return { ...head, kind: "tick" };
    case "d":
      return { ...head, kind: "deposit", user: text(0), currency: text(1), amount: amount(2), reference: text(3) };
    case "w":
      return { ...head, kind: "withdraw", user: text(0), currency: text(1), amount: amount(2), reference: text(3) };
    case "t":
      return {
        ...head,
        kind: "transfer",
        from: text(0),
        to: text(1),
        currency: text(2),
        amount: amount(3),
        reference: text(4),
      };
    case "sc":
      return { ...head, kind: "setCurrency", currency: text(0), scale: number(1) };
    case "sp":
      return { ...head, kind: "setPair", terms: scheduledTermsFrom(rest[0] as CommandFields) };
    case "su":
      return { ...head, kind: "setUser", user: text(0), isFrozen: number(1) === 1 };
    default:
      assert(false, `command ${id} is of no known kind`);
  }
}

function atFrom(field: CommandField | undefined): number {
  return (typeof field === "object" ? field[0] : field) as number;
}

/** The nonce of the signed request that a command came with, from its fields. */
export function nonceFrom(field: CommandField | undefined): Nonce | undefined {
  return typeof field === "object" ? { id: field[1] as string, until: field[2] as number } : undefined;
}

/** Nearly all commands are of this kind. */
function placeFrom(fields: CommandFields, id: string): Command {
  const head = { id, at: atFrom(fields[1]), nonce: nonceFrom(fields[1]) };
  return { ...head, ...orderFrom(fields) };
}

export function termsFields(terms: PairTerms): (string | number)[] {
  return [
    ...[terms.pair, terms.baseCurrency, terms.quoteCurrency],
    ...[amountField(terms.tickSteps), amountField(terms.lotSteps), amountField(terms.valueStepsMin)],
    ...[terms.makerFeePpm, terms.takerFeePpm, STATES.indexOf(terms.state), terms.bandPpm],
  ];
}

/** By the number that stands for it. The first two were all that there was before auctions. */
const STATES: readonly PairState[] = ["halted", "trading", "auction"];

/** Left out where there is none: most pairs never have an auction. */
function scheduleFields({ opensAt, freezeMs }: PairTerms): number[] {
  return opensAt === 0 && freezeMs === 0 ? [] : [opensAt, freezeMs];
}

function scheduledTermsFrom(fields: CommandFields): PairTerms {
  const [opensAt = 0, freezeMs = 0] = fields.slice(TERMS_FIELDS);
  return { ...termsFrom(fields), opensAt: opensAt as number, freezeMs: freezeMs as number };
}

export const TERMS_FIELDS = 10;

export function termsFrom(fields: readonly unknown[]): PairTerms {
  assert(fields.length >= TERMS_FIELDS, "the terms of a pair are complete");
  return {
    pair: String(fields[0]),
    baseCurrency: String(fields[1]),
    quoteCurrency: String(fields[2]),
    tickSteps: amountFrom(fields[3]),
    lotSteps: amountFrom(fields[4]),
    valueStepsMin: amountFrom(fields[5]),
    makerFeePpm: Number(fields[6]),
    takerFeePpm: Number(fields[7]),
    state: stateFrom(fields[8]),
    bandPpm: Number(fields[9]),
    ...NO_SCHEDULE,
  };
}

const NO_SCHEDULE = { opensAt: 0, freezeMs: 0 } as const;

function stateFrom(field: unknown): PairState {
  const state = STATES[Number(field)];
  assert(state !== undefined, "a pair is in a known state");
  return state;
}

/** A command's place in the stream: the append's id, and its index in the append. */
export type StreamPlace = { readonly entryId: string; readonly index: number };

/**
 * A command that was handed to an engine in the same process: the journal entry that it was meant for, the epoch of
 * that commit, and the process with its own number for the command. Entry and epoch say where to look, node and number
 * whether it is there.
 */
export type LocalPlace = {
  readonly epoch: number;
  readonly sequence: number;
  readonly node: string;
  readonly number: number;
};

export type CommandPlace = StreamPlace | LocalPlace;

export function commandIdOf(place: CommandPlace): string {
  return "entryId" in place
    ? `${place.entryId}-${place.index}`
    : `${place.epoch}.${place.sequence}.${place.node}.${place.number}`;
}

const STREAM_ID = /^(\d{1,16}-\d{1,16})-(\d{1,6})$/;
const LOCAL_ID = /^(\d{1,12})\.(\d{1,16})\.([\w-]{22})\.(\d{1,12})$/;

/** The longest id: the API refuses longer texts. */
export const COMMAND_ID_CHARS_MAX = 65;

/** Undefined for text that is no command id: it comes from clients. */
export function parseCommandId(text: string): CommandPlace | undefined {
  const [, epoch, sequence, node, number] = LOCAL_ID.exec(text) ?? [];
  if (node !== undefined) return { epoch: Number(epoch), sequence: Number(sequence), node, number: Number(number) };
  return parseStreamId(text);
}

/** Undefined for every other id, and for the empty one. */
export function parseStreamId(text: string): StreamPlace | undefined {
  const [, entryId, index] = STREAM_ID.exec(text) ?? [];
  return entryId === undefined || index === undefined ? undefined : { entryId, index: Number(index) };
}

/** For ids of the stream: negative when the first precedes the second. The empty id precedes all. */
export function compareStreamIds(first: string, second: string): number {
  if (first === "" || second === "") return first.length - second.length;
  const left = first.split("-");
  const right = second.split("-");
  for (const [place, part] of left.entries()) {
    const difference = Number(part) - Number(right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
