import { z } from "zod";

/** Where a visitor stands, as the line's scripts answer it. */
export type LineAnswer =
  | { readonly state: "none" }
  | { readonly state: "refused"; readonly reason: "closed" | "full" | "address_limit" }
  | { readonly state: "admitted"; readonly expiresAtMs: number; readonly isNew: boolean }
  | { readonly state: "ended"; readonly reason: EndReason }
  | WaitingAnswer;

export type WaitingAnswer = {
  readonly state: "waiting";
  /** 1 for the next one in. */
  readonly position: number;
  readonly total: number;
  /** The place the ticket must carry. */
  readonly order: number;
  readonly pollAfterMs: number;
  /** Measured admissions per second, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  /** One call may only do so much: a sweep should follow. */
  readonly hasMore: boolean;
};

export type EndReason = z.infer<typeof endReason>;

const endReason = z.enum(["expired", "completed", "revoked", "left"]);
const flag = z.union([z.literal(0), z.literal(1)]).transform((bit) => bit === 1);
const count = z.number().int().nonnegative();

const none = z.tuple([z.literal("none")]).transform(() => ({ state: "none" }) as const);
const refused = z.tuple([z.enum(["closed", "full", "address_limit"])]).transform(([reason]) => ({ state: "refused", reason }) as const);
const admitted = z.tuple([z.literal("admitted"), count, flag]).transform(([state, expiresAtMs, isNew]) => ({ state, expiresAtMs, isNew }));
const ended = z.tuple([z.literal("ended"), endReason], z.unknown()).transform(([state, reason]) => ({ state, reason }));
const waiting = z
  .tuple([z.literal("waiting"), count, count, count, count, count, flag])
  .transform(([state, position, total, order, pollAfterMs, ratePerThousandSeconds, hasMore]) => {
    return { state, position, total, order, pollAfterMs, admissionsPerSecond: ratePerThousandSeconds / 1000, hasMore };
  });

export const lineAnswerSchema: z.ZodType<LineAnswer> = z.union([waiting, admitted, ended, refused, none]);

/** The answer to an end or a sweep: whether another sweep should follow. */
export const finishedSchema = z.union([
  z.tuple([z.literal("none")]).transform(() => ({ hasMore: false })),
  z.tuple([z.literal("swept"), flag]).transform(([, hasMore]) => ({ hasMore })),
  z.tuple([z.literal("ended"), endReason, flag]).transform(([, , hasMore]) => ({ hasMore })),
]);
