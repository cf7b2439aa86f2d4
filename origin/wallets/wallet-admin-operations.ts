import { z } from "zod";
import { actorOf } from "../admin/admin-operations.ts";
import type { Audited } from "../admin/audited.ts";
import { adminOperation, type VenueOperation } from "../api/operation.ts";
import { bodySchemas } from "../api/schemas.ts";
import { HOUSE_USER } from "../engine/terms.ts";
import type { UserCopies } from "../identity/user-copies.ts";
import type { Desk } from "../orders/desk.ts";
import { PENDING } from "../orders/pending.ts";
import { MOVEMENT_REFUSALS } from "../orders/refuse-reject.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { amountOf } from "../pairs/pair-numbers.ts";
import { currencyField } from "../pairs/read-terms.ts";
import { amountField, MOVED, referenceField } from "./movement.ts";

type WalletAdminParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly users: Pick<UserCopies, "byId">;
  readonly audited: Audited;
};

const accountField = z
  .union([z.uuid("must be a user's id"), z.literal(HOUSE_USER)])
  .describe(`A user's id, or \`${HOUSE_USER}\`, where the fees are.`);
const amounts = { currency: currencyField, amount: amountField, reference: referenceField };

const depositSchema = z.strictObject({ userId: z.uuid("must be a user's id"), ...amounts }).register(bodySchemas, { id: "Deposit" });
const transferSchema = z
  .strictObject({ from: accountField, to: accountField, ...amounts })
  .refine(({ from, to }) => from !== to, { path: ["to"], message: "must be another account" })
  .register(bodySchemas, { id: "Transfer" });

/** Money that admins bring in or move; each movement stands in the audit log, with what became of it. */
export function walletAdminOperations({ desk, pairs, users, audited }: WalletAdminParts): readonly VenueOperation[] {
  const isAccount = async (id: string) => id === HOUSE_USER || (await users.byId(id)) !== undefined;

  return [
    adminOperation({
      method: "post",
      path: "/admin/wallet/deposits",
      id: "deposit",
      summary: "Money that came in for a user",
      limit: "admin",
      body: { schema: depositSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: [...MOVEMENT_REFUSALS, "user_not_found", "database_unavailable"],
      async run(caller, { body: { userId: user, currency, amount, reference } }) {
        if (!(await isAccount(user))) return caller.refuse("user_not_found");
        const known = await pairs.findCurrency(currency);
        if (known === undefined) return caller.refuse("currency_not_found");
        const steps = amountOf(amount, known.scale);
        if (!steps.ok) return caller.refuse("validation_failed", { errors: [{ field: "amount", message: steps.reason }] });
        const moved = { currency, amount, reference, from: null, to: user };
        const entry = { actor: actorOf(caller), action: "wallet.deposited", target: user, before: null, after: moved } as const;
        const command = { kind: "deposit", user, currency, amount: steps.value, reference } as const;
        return audited.run(entry, (onSubmitted) =>
          desk.send(caller, command, {
            accepted: ({ kind }, headers) => caller.answer(kind === "repetition" ? 200 : 201, moved, headers),
            alsoTold: [user],
            onSubmitted,
          }),
        );
      },
    }),
    adminOperation({
      method: "post",
      path: "/admin/wallet/transfers",
      id: "transfer",
      summary: "Money that goes from one account to another",
      limit: "admin",
      body: { schema: transferSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: [...MOVEMENT_REFUSALS, "user_not_found", "database_unavailable"],
      async run(caller, { body: { from, to, currency, amount, reference } }) {
        if (!(await isAccount(from)) || !(await isAccount(to))) return caller.refuse("user_not_found");
        const known = await pairs.findCurrency(currency);
        if (known === undefined) return caller.refuse("currency_not_found");
        const steps = amountOf(amount, known.scale);
        if (!steps.ok) return caller.refuse("validation_failed", { errors: [{ field: "amount", message: steps.reason }] });
        const moved = { currency, amount, reference, from, to };
        const entry = { actor: actorOf(caller), action: "wallet.transferred", target: from, before: null, after: moved } as const;
        const command = { kind: "transfer", from, to, currency, amount: steps.value, reference } as const;
        return audited.run(entry, (onSubmitted) =>
          desk.send(caller, command, {
            accepted: ({ kind }, headers) => caller.answer(kind === "repetition" ? 200 : 201, moved, headers),
            alsoTold: [from, to],
            onSubmitted,
          }),
        );
      },
    }),
  ];
}
