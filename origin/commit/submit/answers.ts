import { assert } from "../../../shared/assert.ts";
import type { OrderRow } from "../../engine/changes.ts";
import type { Outcome, RejectCode } from "../../engine/outcome.ts";
import { listFields, listFrom, orderFields, orderFrom, type ReadFields } from "../../journal/row-fields.ts";
import { tradeFields, tradeFrom } from "../../journal/trade-fields.ts";

/** The engine's answer to the process that appended: the outcomes of an append's commands, from one of them on. */
export type AnswerGroup = {
  readonly node: string;
  /** The process's own number for the append, known even if the reply to the append was lost. */
  readonly append: number;
  readonly entryId: string;
  readonly firstIndex: number;
  readonly sequence: number;
  readonly outcomes: readonly Outcome[];
};

export function answersText(groups: readonly AnswerGroup[]): string {
  return JSON.stringify(
    groups.map(({ append, entryId, firstIndex, sequence, outcomes }) => [
      append,
      entryId,
      firstIndex,
      sequence,
      outcomes.map(outcomeFields),
    ]),
  );
}

export function answersFrom(text: string, node: string): readonly AnswerGroup[] {
  const groups = JSON.parse(text) as readonly [number, string, number, number, readonly ReadFields[]][];
  return groups.map(([append, entryId, firstIndex, sequence, outcomes]) => ({
    ...{ node, append, entryId, firstIndex, sequence },
    outcomes: outcomes.map(outcomeFrom),
  }));
}

function outcomeFields(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case "order":
      return ["o", orderFields(outcome.order), outcome.trades.map(tradeFields)];
    case "list":
      return ["l", listFields(outcome.list), outcome.orders.map(orderFields), outcome.trades.map(tradeFields)];
    case "replaced":
      return ["p", partFields(outcome.cancelled), partFields(outcome.placed), outcome.trades.map(tradeFields)];
    case "cancelAfter":
      return ["a", outcome.cancelAt];
    case "cancelled":
      return ["c", outcome.orders.map(orderFields), outcome.hasMore ? 1 : 0];
    case "done":
      return ["d"];
    case "repetition":
      return ["r", outcome.orderId];
    case "rejected":
      return ["x", outcome.code];
  }
}

const partFields = (part: OrderRow | RejectCode) => (typeof part === "string" ? part : orderFields(part));
const partFrom = (part: unknown) => (typeof part === "string" ? (part as RejectCode) : orderFrom(part as ReadFields));

function outcomeFrom(fields: ReadFields): Outcome {
  const [kind, first, second, third] = fields;
  switch (kind) {
    case "o":
      return { kind: "order", order: orderFrom(first as ReadFields), trades: (second as ReadFields[]).map(tradeFrom) };
    case "l":
      return {
        kind: "list",
        list: listFrom(first as ReadFields),
        orders: (second as ReadFields[]).map(orderFrom),
        trades: (third as ReadFields[]).map(tradeFrom),
      };
    case "p":
      return {
        kind: "replaced",
        cancelled: partFrom(first),
        placed: partFrom(second),
        trades: (third as ReadFields[]).map(tradeFrom),
      };
    case "a":
      return { kind: "cancelAfter", cancelAt: first as number };
    case "c":
      return { kind: "cancelled", orders: (first as ReadFields[]).map(orderFrom), hasMore: second === 1 };
    case "d":
      return { kind: "done" };
    case "r":
      return { kind: "repetition", orderId: first as number };
    case "x":
      return { kind: "rejected", code: first as RejectCode };
    default:
      assert(false, "an answer is of a known kind");
  }
}
