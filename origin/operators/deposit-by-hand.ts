import { z } from "zod";
import { errorCatalogue } from "../../shared/http/errors.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Actor } from "../accounts/admin/audit.ts";
import type { Audited, NoteSubmitted } from "../accounts/admin/audited.ts";
import { currencyField, decimalField, referenceField } from "../api/trading/fields.ts";
import type { Commands } from "../commit/submit/commands.ts";
import { refusalOf } from "../commit/submit/refuse-reject.ts";
import { readAmount } from "../instruments/amounts.ts";
import type { KnownPairs } from "../state/known-pairs.ts";

/** A deposit from the command line of this machine. Fails with a sentence. */
export type DepositByHand = (actor: Actor, deposit: HandDeposit) => Promise<Result<undefined, string>>;

export const depositSchema = z.strictObject({
  userId: z.uuid("must be a user's id"),
  currency: currencyField,
  amount: decimalField,
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
    if (submitted.kind === "unknown") return fail("the deposit was not committed in time, but may still be");
    const { outcome } = submitted;
    return outcome.kind === "rejected" ? fail(errorCatalogue[refusalOf(outcome.code)[0]].title) : ok(undefined);
  }

  return async (actor, deposit) => {
    const known = await pairs.findCurrency(deposit.currency);
    if (known === undefined) return fail(errorCatalogue.currency_not_found.title);
    const amount = readAmount(deposit.amount, known.scale);
    if (!amount.ok) return fail(`the amount ${amount.reason}`);
    const entry = { actor, action: "wallet.deposited", target: deposit.userId, before: null, after: deposit } as const;
    return audited.run(entry, (note) => submit(deposit, amount.value, note));
  };
}
