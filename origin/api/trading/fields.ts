import { z } from "zod";
import { answerSchemas } from "../schemas.ts";

/** Fields that several routes have in common. */
export const pairField = z
  .string()
  .regex(/^[a-z0-9]{2,24}$/, "must be a pair in small letters, as in btcidr")
  .describe("As in `btcidr`.");

/** Small letters and digits; a pair is named by two of them in a row. */
export const currencyField = z.string().regex(/^[a-z][a-z0-9]{1,9}$/, "must be a currency in small letters, as in btc");

/** The pair or the currency decides which numbers are valid. */
export const decimalField = z.string('must be a decimal number in a string, as in "0.25"').max(60);

/** A client's, bank's or chain's own number for a movement of money. */
export const referenceField = z
  .string()
  .regex(/^[A-Za-z0-9_.:/-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . : / -")
  .describe("Your own number for the movement. The same number with the same content is executed once, for 24 hours.");

export const orderIdField = z.string().regex(/^[1-9]\d{0,14}$/, "must be an order's id");

/** A range of whole numbers in a query. */
function countField({ max, fallback }: { readonly max: number; readonly fallback: number }) {
  return z
    .string()
    .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= max, `must be a whole number from 1 to ${max}`)
    .default(String(fallback))
    .meta({ type: "integer", minimum: 1, maximum: max, default: fallback });
}

export const limitField = countField({ max: 100, fallback: 50 });
export const depthField = countField({ max: 5_000, fallback: 20 });

/** A page ends with the last id that was read; the next page begins below it, whatever was added above meanwhile. */
export const cursorField = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be the nextCursor of a page")
  .optional();

export const nextCursorField = z
  .string()
  .nullable()
  .describe("null on the last page; an earlier page may hold fewer than `limit`.");

export function pageOf({ cursor, limit }: { readonly cursor?: string | undefined; readonly limit: string }) {
  return { beforeId: cursor === undefined ? undefined : Number(cursor), limit: Number(limit) };
}

/** The answer to every command whose outcome is not known within two seconds. */
export const PENDING = {
  description: "Written, but not committed within two seconds: it may still be executed.",
  schema: z
    .strictObject({
      commandId: z.string().describe("Read the outcome at `/commands/{commandId}`."),
      state: z.literal("pending"),
    })
    .register(answerSchemas, { id: "Pending" }),
  headers: { location: "Where to read the outcome." },
};

const movedSchema = z
  .strictObject({
    currency: z.string(),
    amount: z.string(),
    reference: z.string(),
    from: z.string().nullable().describe("The debited account; null for a deposit."),
    to: z.string().nullable().describe("The credited account; null for a withdrawal."),
  })
  .register(answerSchemas, { id: "Movement" });

export const MOVED = {
  201: { description: "Committed.", schema: movedSchema },
  200: { description: "The same reference and content were sent before: nothing was done again.", schema: movedSchema },
};
