import { z } from "zod";

/** Where a visitor stands, as the line's scripts answer it. */
export type LineAnswer =
  | { readonly state: "none" }
  | { readonly state: "refused"; readonly reason: z.infer<typeof refusalReason> }
  | ScheduledAnswer
  /** The ticket's number is from another draw than the one that is on: draw again. */
  | { readonly state: "draw_changed" }
  | PersonAnswer
  | AdmittedAnswer
  | { readonly state: "ended"; readonly reason: EndReason }
  | WaitingAnswer;

/** Places cannot be taken yet. By the store's clock, like all times here. */
export type ScheduledAnswer = {
  readonly state: "scheduled";
  readonly placesOpenAtMs: number;
  readonly opensAtMs: number;
  readonly nowMs: number;
};

/** The person whom an invite names has a place already, under this ticket. */
export type PersonAnswer = {
  readonly state: "person";
  readonly ticketId: string;
  readonly order: number;
  readonly enqueuedAtMs: number;
};

/** The entry lies `holdMs` ahead: the answer to the visitor is held for that long. */
export type AdmittedAnswer = {
  readonly state: "admitted";
  readonly expiresAtMs: number;
  readonly isNew: boolean;
  readonly holdMs: number;
};

export type WaitingAnswer = {
  readonly state: "waiting";
  /** 1 for the next one in; null while a draw keeps it secret. */
  readonly position: number | null;
  readonly total: number;
  /** The place for the ticket: while a draw keeps it secret, the first number of the draw for every visitor. */
  readonly order: number;
  readonly pollAfterMs: number;
  /** How fast the line moves, for an estimate. */
  readonly flow: LineFlow;
  /** In a full room: when the slot for this place is free if no session is renewed. */
  readonly latestAtMs: number | null;
  /** One call may only do so much: a sweep should follow. */
  readonly hasMore: boolean;
  /** When the line begins to move; null once it does. */
  readonly opensAtMs: number | null;
};

export type LineFlow = {
  /** Measured, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  /** Slots that come free, measured, or 0 while nothing is known. */
  readonly freedPerSecond: number;
  /** The part of those in the line who enter when their turn comes; the others are found gone. */
  readonly presentShare: number;
  /** Since the last entry. */
  readonly stillMs: number;
  readonly freeSlots: number;
  /** Slots that are taken: with more of them, more come free. */
  readonly takenSlots: number;
};

export type EndReason = z.infer<typeof endReason>;

const endReason = z.enum(["expired", "completed", "revoked", "left"]);
const refusalReason = z.enum([
  "closed",
  "over",
  "full",
  "address_limit",
  "invite_used",
  "invite_revoked",
  "proof_spent",
]);
const flag = z.union([z.literal(0), z.literal(1)]).transform((bit) => bit === 1);
const count = z.number().int().nonnegative();
/** A list of Redis ends at a nil, so scripts write 0 for what is not there. */
const countOrNull = count.transform((value) => (value === 0 ? null : value));

const none = z.tuple([z.literal("none")]).transform(() => ({ state: "none" }) as const);
const refused = z.tuple([refusalReason]).transform(([reason]) => ({ state: "refused", reason }) as const);
const scheduled = z
  .tuple([z.literal("scheduled"), count, count, count])
  .transform(([state, placesOpenAtMs, opensAtMs, nowMs]) => ({ state, placesOpenAtMs, opensAtMs, nowMs }));
const drawChanged = z.tuple([z.literal("draw_changed")]).transform(() => ({ state: "draw_changed" }) as const);
const person = z
  .tuple([z.literal("person"), z.string(), count, count])
  .transform(([state, ticketId, order, enqueuedAtMs]) => ({ state, ticketId, order, enqueuedAtMs }));
const admitted = z
  .tuple([z.literal("admitted"), count, flag, count])
  .transform(([state, expiresAtMs, isNew, holdMs]) => ({ state, expiresAtMs, isNew, holdMs }));
const ended = z.tuple([z.literal("ended"), endReason], z.unknown()).transform(([state, reason]) => ({ state, reason }));
const waiting = z
  .tuple([
    z.literal("waiting"),
    countOrNull,
    count,
    count,
    count,
    count,
    count,
    count,
    count,
    flag,
    countOrNull,
    count,
    count,
    countOrNull,
  ])
  .transform(
    ([
      state,
      position,
      total,
      order,
      pollAfterMs,
      admissions,
      freed,
      present,
      stillMs,
      hasMore,
      opensAtMs,
      ...slots
    ]) => {
      const [freeSlots, takenSlots, latestAtMs] = slots;
      const flow = {
        admissionsPerSecond: admissions / 1000,
        freedPerSecond: freed / 1000,
        presentShare: present / 1000,
        stillMs,
        freeSlots,
        takenSlots,
      };
      return { state, position, total, order, pollAfterMs, flow, hasMore, opensAtMs, latestAtMs };
    },
  );

export const lineAnswerSchema: z.ZodType<LineAnswer> = z.union([
  waiting,
  admitted,
  ended,
  refused,
  scheduled,
  drawChanged,
  person,
  none,
]);

/** The answer to an end or a sweep: whether another sweep should follow. */
export const finishedSchema = z.union([
  z.tuple([z.literal("none")]).transform(() => ({ hasMore: false })),
  z.tuple([z.literal("swept"), flag]).transform(([, hasMore]) => ({ hasMore })),
  z.tuple([z.literal("ended"), endReason, flag]).transform(([, , hasMore]) => ({ hasMore })),
]);
