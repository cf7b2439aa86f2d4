import { z } from "zod";
import { errorCatalogue } from "../../shared/errors.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Actor } from "../admin/audit.ts";
import type { Audited, NoteSubmitted } from "../admin/audited.ts";
import type { Commands } from "../commands/commands.ts";
import { refusalOf } from "../orders/refuse-reject.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { amountOf } from "../pairs/pair-numbers.ts";
import { currencyField } from "../pairs/read-terms.ts";
import { amountField, referenceField } from "./movement.ts";

/** Money that whoever sits at the machine puts into an account. Fails with a sentence. */
export type DepositByHand = (actor: Actor, deposit: HandDeposit) => Promise<Result<undefined, string>>;

export const depositSchema = z.strictObject({
  userId: z.uuid("must be a user's id"),
  currency: currencyField,
  amount: amountField,
  reference: referenceField,
});

type HandDeposit = z.output<typeof depositSchema>;

type DepositParts = { readonly commands: Commands; readonly pairs: KnownPairs; readonly audited: Audited };

export function createDepositByHand({ commands, pairs, audited }: DepositParts): DepositByHand {
  async function submit(deposit: HandDeposit, amount: bigint, note: NoteSubmitted): Promise<Result<undefined, string>> {
    const { userId: user, currency, reference } = deposit;
    const submitted = await commands.submit({ kind: "deposit", user, currency, amount, reference });
    note(submitted);
    if (submitted.kind === "refused") return fail(errorCatalogue[submitted.code].title);
    if (submitted.kind === "unknown") return fail("it was not committed in time, and may still be");
    const { outcome } = submitted;
    return outcome.kind === "rejected" ? fail(errorCatalogue[refusalOf(outcome.code)[0]].title) : ok(undefined);
  }

  return async (actor, deposit) => {
    const known = await pairs.findCurrency(deposit.currency);
    if (known === undefined) return fail(errorCatalogue.currency_not_found.title);
    const amount = amountOf(deposit.amount, known.scale);
    if (!amount.ok) return fail(`the amount ${amount.reason}`);
    const entry = { actor, action: "wallet.deposited", target: deposit.userId, before: null, after: deposit } as const;
    return audited.run(entry, (note) => submit(deposit, amount.value, note));
  };
}
