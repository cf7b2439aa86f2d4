import { z } from "zod";
import { actorOf } from "../admin/admin-operations.ts";
import type { Audited } from "../admin/audited.ts";
import { adminOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas, bodySchemas } from "../api/schemas.ts";
import type { Desk } from "../orders/desk.ts";
import { pairField } from "../orders/new-order-schema.ts";
import { PENDING } from "../orders/pending.ts";
import type { KnownPairs } from "./known-pairs.ts";
import { pairAnswer, pairSchema } from "./pair-answer.ts";
import { currencyField, readTerms, termsSchema } from "./read-terms.ts";

type PairParts = { readonly desk: Desk; readonly pairs: KnownPairs; readonly audited: Audited };

/** As many decimals as an amount of 2^62 steps leaves room for. */
const SCALE_MAX = 18;

const currencySchema = z
  .strictObject({ currency: z.string(), scale: z.int().describe("How many decimals.") })
  .register(answerSchemas, { id: "Currency" });
const newCurrencySchema = z
  .strictObject({ scale: z.int().min(0).max(SCALE_MAX).describe("How many decimals; fixed from then on.") })
  .register(bodySchemas, { id: "NewCurrency" });

const pairParams = z.strictObject({ pair: pairField });

/** What admins say about currencies and pairs. */
export function pairOperations({ desk, pairs, audited }: PairParts): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/pairs/{pair}",
      id: "readPair",
      summary: "The terms of a pair",
      limit: "admin",
      params: pairParams,
      answers: { 200: { description: "As they hold.", schema: pairSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      async run(caller, { params }) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        await pairs.refresh();
        const pair = pairs.pair(params.pair);
        return pair === undefined ? caller.refuse("pair_not_found") : caller.answer(200, pairAnswer(pair));
      },
    }),
    adminOperation({
      method: "put",
      path: "/admin/pairs/{pair}",
      id: "replacePair",
      summary: "The terms of a pair, new or anew; hold from the next order on",
      limit: "admin",
      params: pairParams,
      body: { schema: termsSchema },
      answers: { 200: { description: "Committed.", schema: pairSchema }, 202: PENDING },
      refusals: [
        ...(["currency_not_found", "terms_invalid", "pair_has_orders"] as const),
        ...(["venue_busy", "engine_unavailable", "venue_catching_up", "database_unavailable"] as const),
      ],
      async run(caller, { params, body }) {
        const base = await pairs.findCurrency(body.baseCurrency);
        const quote = await pairs.findCurrency(body.quoteCurrency);
        if (base === undefined || quote === undefined) return caller.refuse("currency_not_found");
        const terms = readTerms(params.pair, body, { baseScale: base.scale, quoteScale: quote.scale });
        if (!terms.ok) return caller.refuse("validation_failed", { errors: terms.reason });
        const known = await pairs.findPair(params.pair);
        const before = known === undefined ? null : pairAnswer(known);
        const entry = { actor: actorOf(caller), action: "pair.changed", target: params.pair, before, after: body } as const;
        return audited.run(entry, (onSubmitted) =>
          desk.send(caller, { kind: "setPair", terms: terms.value }, { accepted: (_outcome, headers) => answerPair(headers), onSubmitted }),
        );

        async function answerPair(headers: Readonly<Record<string, string>>): Promise<Response> {
          const behind = await desk.catchUp(caller);
          await pairs.refresh();
          const pair = pairs.pair(params.pair);
          return behind ?? (pair === undefined ? caller.refuse("venue_catching_up") : caller.answer(200, pairAnswer(pair), headers));
        }
      },
    }),
    adminOperation({
      method: "put",
      path: "/admin/currencies/{currency}",
      id: "addCurrency",
      summary: "A currency, before the first pair that trades it",
      limit: "admin",
      params: z.strictObject({ currency: currencyField }),
      body: { schema: newCurrencySchema },
      answers: { 200: { description: "Committed.", schema: currencySchema }, 202: PENDING },
      refusals: ["currency_fixed", "venue_busy", "engine_unavailable", "database_unavailable"],
      async run(caller, { params: { currency }, body: { scale } }) {
        const entry = { actor: actorOf(caller), action: "currency.changed", target: currency, before: null, after: { scale } } as const;
        return audited.run(entry, (onSubmitted) =>
          desk.send(
            caller,
            { kind: "setCurrency", currency, scale },
            {
              onSubmitted,
              async accepted(_outcome, headers) {
                await desk.catchUp(caller);
                await pairs.refresh();
                return caller.answer(200, { currency, scale }, headers);
              },
            },
          ),
        );
      },
    }),
  ];
}
