import { z } from "zod";
import { bodySchemas } from "../api/schemas.ts";

/**
 * A client's own name for an order: safe in a URL as it is. `.` and `..` are not, however they are written (RFC 3986, 5.2.4): the path
 * `/orders/client/..` is `/orders/` to every client and proxy, so that such an order could not be cancelled by its name.
 */
export const clientOrderIdField = z
  .string()
  .regex(/^(?!\.\.?$)[A-Za-z0-9_.:-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . : - and not just . or ..")
  .describe("Your own name for the order, not `.` or `..`. The same name with the same content is one order, for 24 hours.");

export const pairField = z
  .string()
  .regex(/^[a-z0-9]{2,24}$/, "must be a pair in small letters, as in btcidr")
  .describe("As in `btcidr`.");

/** What a number may look like is the pair's to say: `read-order.ts`. */
const DECIMAL_IN_A_STRING = 'must be a decimal number in a string, as in "0.25"';
const decimalField = z.string(DECIMAL_IN_A_STRING).max(60);

export const newOrderSchema = z
  .strictObject({
    pair: pairField,
    side: z.enum(["buy", "sell"]),
    type: z.enum(["limit", "market"]),
    price: decimalField.optional().describe("Of a limit order, for one whole unit of the base currency; a multiple of the pair's tick."),
    quantity: decimalField.optional().describe("In the base currency; a multiple of the pair's lot."),
    quoteAmount: decimalField.optional().describe("In place of `quantity`, for a market order: how much of the quote currency."),
    timeInForce: z.enum(["GTC", "IOC", "FOK"]).optional().describe("GTC unless told otherwise; for a market order IOC."),
    postOnly: z.boolean().default(false).describe("Refused if it would trade at once."),
    selfTradePrevention: z
      .enum(["cancelNewest", "cancelOldest", "cancelBoth"])
      .default("cancelNewest")
      .describe("Which goes when two orders of yours would trade with each other."),
    clientOrderId: clientOrderIdField.optional(),
  })
  .register(bodySchemas, { id: "NewOrder" });

export type NewOrder = z.output<typeof newOrderSchema>;
