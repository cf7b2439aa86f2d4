import { z } from "zod";
import { fail, ok } from "../../../shared/result.ts";
import type { Audited } from "../../accounts/admin/audited.ts";
import type { KnownPairs } from "../../state/known-pairs.ts";
import type { Desk } from "../../trading/desk.ts";
import { pairOf } from "../../trading/views.ts";
import { actorOf } from "../accounts/admin-operations.ts";
import { adminOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { currencyField, PENDING, pairField } from "./fields.ts";
import { pairSchema } from "./market-operations.ts";
import { readTerms, termsSchema } from "./read-terms.ts";
import { answerRead, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

type PairParts = { readonly desk: Desk; readonly pairs: KnownPairs; readonly audited: Audited };

/** The most decimals for which an amount of 2^62 steps has room. */
const SCALE_MAX = 18;

const currencySchema = z
  .strictObject({ currency: z.string(), scale: z.int().describe("How many decimals.") })
  .register(answerSchemas, { id: "Currency" });
const newCurrencySchema = z
  .strictObject({ scale: z.int().min(0).max(SCALE_MAX).describe("How many decimals; cannot be changed later.") })
  .register(bodySchemas, { id: "NewCurrency" });

const pairParams = z.strictObject({ pair: pairField });

/** Currencies and pairs, set by admins. */
export function pairOperations({ desk, pairs, audited }: PairParts): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/pairs/{pair}",
      id: "readPair",
      summary: "The terms of a pair",
      limit: "admin",
      params: pairParams,
      answers: { 200: { description: "The current terms.", schema: pairSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      run: (caller, { params }) =>
        answerRead(
          caller,
          async () => {
            if (!(await desk.catchUp(traderOf(caller)))) return fail({ kind: "behind", sequence: undefined });
            await pairs.refresh();
            const pair = pairs.pair(params.pair);
            return pair === undefined
              ? fail({ kind: "rejected", code: "pair_unknown", sequence: undefined })
              : ok(pair);
          },
          pairOf,
        ),
    }),
    adminOperation({
      method: "put",
      path: "/admin/pairs/{pair}",
      id: "replacePair",
      summary: "Create a pair or replace its terms; they apply from the next order",
      limit: "admin",
      params: pairParams,
      body: { schema: termsSchema },
      answers: { 200: { description: "Committed.", schema: pairSchema }, 202: PENDING },
      refusals: [
        ...(["currency_not_found", "terms_invalid", "pair_has_orders"] as const),
        ...(["pair_in_auction", "pair_opening", "auction_time_past"] as const),
        ...(["venue_busy", "engine_unavailable", "venue_catching_up", "database_unavailable"] as const),
      ],
      async run(caller, { params, body }) {
        const base = await pairs.findCurrency(body.baseCurrency);
        const quote = await pairs.findCurrency(body.quoteCurrency);
        if (base === undefined || quote === undefined) return caller.refuse("currency_not_found");
        // Fresh, because a field that is left out keeps its value.
        await pairs.refresh();
        const known = pairs.pair(params.pair);
        const scales = { baseScale: base.scale, quoteScale: quote.scale };
        const terms = readTerms(params.pair, body, { ...scales, before: known });
        if (!terms.ok) return caller.refuse("validation_failed", { errors: terms.reason });
        const before = known === undefined ? null : pairOf(known);
        const entry = {
          actor: actorOf(caller),
          action: "pair.changed",
          target: params.pair,
          before,
          after: body,
        } as const;
        return audited.run(entry, async (onSubmitted) => {
          const trader = traderOf(caller);
          const committed = await desk.submit(trader, { kind: "setPair", terms: terms.value }, { onSubmitted });
          if (!committed.ok) return refuse(caller, committed.reason);
          const { sequence } = committed.value;
          const isReadable = await desk.catchUp(trader);
          await pairs.refresh();
          const pair = isReadable ? pairs.pair(params.pair) : undefined;
          if (pair === undefined) return refuse(caller, { kind: "behind", sequence });
          return caller.answer(200, pairOf(pair), sequenceHeader(sequence));
        });
      },
    }),
    adminOperation({
      method: "put",
      path: "/admin/currencies/{currency}",
      id: "addCurrency",
      summary: "Add a currency, before the first pair that trades it",
      limit: "admin",
      params: z.strictObject({ currency: currencyField }),
      body: { schema: newCurrencySchema },
      answers: { 200: { description: "Committed.", schema: currencySchema }, 202: PENDING },
      refusals: ["currency_fixed", "venue_busy", "engine_unavailable", "database_unavailable"],
      async run(caller, { params: { currency }, body: { scale } }) {
        const entry = {
          actor: actorOf(caller),
          action: "currency.changed",
          target: currency,
          before: null,
          after: { scale },
        } as const;
        return audited.run(entry, async (onSubmitted) => {
          const trader = traderOf(caller);
          const committed = await desk.submit(trader, { kind: "setCurrency", currency, scale }, { onSubmitted });
          if (!committed.ok) return refuse(caller, committed.reason);
          await desk.catchUp(trader);
          await pairs.refresh();
          return caller.answer(200, { currency, scale }, sequenceHeader(committed.value.sequence));
        });
      },
    }),
  ];
}
