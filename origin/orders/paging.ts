import { z } from "zod";

const PAGE_MAX = 100;
const PAGE_DEFAULT = 50;

export const limitField = z
  .string()
  .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_MAX, `must be a whole number from 1 to ${PAGE_MAX}`)
  .default(String(PAGE_DEFAULT))
  .meta({ type: "integer", minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT });

/** A page ends with the id of the last that was looked at; the next one begins below it, whatever has come in above meanwhile. */
export const cursorField = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, "must be the nextCursor of a page")
  .optional();

export const nextCursorField = z.string().nullable().describe("null on the last page; a page before it may hold less than it could.");
