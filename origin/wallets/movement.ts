import { z } from "zod";
import { answerSchemas } from "../api/schemas.ts";

/** Somebody else's number for a movement of money: a bank's, a chain's, the client's own. */
export const referenceField = z
  .string()
  .regex(/^[A-Za-z0-9_.:/-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . : / -")
  .describe("Your own number for it. The same number with the same content is done once, for 24 hours.");

export const amountField = z.string('must be a decimal number in a string, as in "0.25"').max(60);

export const movementSchema = z
  .strictObject({
    currency: z.string(),
    amount: z.string(),
    reference: z.string(),
    from: z.string().nullable().describe("The account that it was taken from; null for a deposit."),
    to: z.string().nullable().describe("The account that it went to; null for a withdrawal."),
  })
  .register(answerSchemas, { id: "Movement" });

export const MOVED = {
  201: { description: "Committed.", schema: movementSchema },
  200: { description: "The same reference and content came before: nothing was done again.", schema: movementSchema },
};
