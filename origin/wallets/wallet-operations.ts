import { z } from "zod";
import { programOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas, bodySchemas } from "../api/schemas.ts";
import type { Desk } from "../orders/desk.ts";
import { limitField, nextCursorField } from "../orders/paging.ts";
import { PENDING } from "../orders/pending.ts";
import { MOVEMENT_REFUSALS } from "../orders/refuse-reject.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { amountOf } from "../pairs/pair-numbers.ts";
import { currencyField } from "../pairs/read-terms.ts";
import { amountField, MOVED, referenceField } from "./movement.ts";
import { HISTORY_CURSOR } from "./wallet-history.ts";
import type { WalletStore } from "./wallet-store.ts";

type WalletParts = { readonly desk: Desk; readonly pairs: KnownPairs; readonly store: WalletStore };

const balanceSchema = z
  .strictObject({
    currency: z.string(),
    available: z.string(),
    frozen: z.string().describe("Held by open orders."),
    total: z.string(),
  })
  .register(answerSchemas, { id: "Balance" });

const walletSchema = z.strictObject({ balances: z.array(balanceSchema) }).register(answerSchemas, { id: "Wallet" });

const historySchema = z
  .strictObject({
    entries: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(["deposit", "withdrawal", "transfer"]),
        direction: z.enum(["in", "out"]),
        currency: z.string(),
        amount: z.string(),
        reference: z.string(),
        at: z.int(),
      }),
    ),
    nextCursor: nextCursorField,
  })
  .register(answerSchemas, { id: "WalletHistory" });

const historyCursorField = z.string().regex(HISTORY_CURSOR, "must be the nextCursor of a page").optional();

const withdrawalSchema = z
  .strictObject({ currency: currencyField, amount: amountField, reference: referenceField })
  .register(bodySchemas, { id: "Withdrawal" });

export function walletOperations({ desk, pairs, store }: WalletParts): readonly VenueOperation[] {
  return [
    programOperation({
      method: "get",
      path: "/wallet",
      id: "readWallet",
      summary: "What I have, by currency",
      limit: "read",
      permission: "info",
      answers: { 200: { description: "Every currency that I ever had something of.", schema: walletSchema } },
      refusals: ["venue_catching_up"],
      async run(caller) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        return caller.answer(200, { balances: await store.balances(caller.identity.user.id) });
      },
    }),
    programOperation({
      method: "get",
      path: "/wallet/history",
      id: "readWalletHistory",
      summary: "What came in, went out or changed hands without a trade, the newest first",
      limit: "read",
      permission: "info",
      query: z.strictObject({ cursor: historyCursorField, limit: limitField }),
      answers: { 200: { description: "One page.", schema: historySchema } },
      refusals: ["venue_catching_up", "database_unavailable"],
      async run(caller, { query: { cursor, limit } }) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        const page = await store.history(caller.identity.user.id, { cursor, limit: Number(limit) });
        return page === undefined ? caller.refuse("venue_catching_up", { retryAfterSeconds: 1 }) : caller.answer(200, page);
      },
    }),
    programOperation({
      method: "get",
      path: "/wallet/{currency}",
      id: "readBalance",
      summary: "What I have of one currency",
      limit: "read",
      permission: "info",
      params: z.strictObject({ currency: currencyField }),
      answers: { 200: { description: "Zero where I never had any.", schema: balanceSchema } },
      refusals: ["currency_not_found", "venue_catching_up"],
      async run(caller, { params: { currency } }) {
        if ((await pairs.findCurrency(currency)) === undefined) return caller.refuse("currency_not_found");
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        return caller.answer(200, await store.balance(caller.identity.user.id, currency));
      },
    }),
    programOperation({
      method: "post",
      path: "/wallet/withdrawals",
      id: "withdraw",
      summary: "Take money out",
      limit: "change",
      submitsCommand: true,
      permission: "withdraw",
      body: { schema: withdrawalSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: MOVEMENT_REFUSALS,
      async run(caller, { body: { currency, amount, reference } }) {
        const known = await pairs.findCurrency(currency);
        if (known === undefined) return caller.refuse("currency_not_found");
        const steps = amountOf(amount, known.scale);
        if (!steps.ok) return caller.refuse("validation_failed", { errors: [{ field: "amount", message: steps.reason }] });
        const user = caller.identity.user.id;
        const moved = { currency, amount, reference, from: user, to: null };
        const command = { kind: "withdraw", user, currency, amount: steps.value, reference } as const;
        return desk.send(caller, command, {
          accepted: ({ kind }, headers) => caller.answer(kind === "repetition" ? 200 : 201, moved, headers),
        });
      },
    }),
  ];
}
