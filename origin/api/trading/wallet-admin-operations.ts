import { z } from "zod";
import type { AuditEntry } from "../../accounts/admin/audit.ts";
import type { Audited } from "../../accounts/admin/audited.ts";
import type { UserCopies } from "../../accounts/identity/user-copies.ts";
import { MOVEMENT_REFUSALS } from "../../commit/submit/refuse-reject.ts";
import type { CommandBody } from "../../engine/command.ts";
import { HOUSE_USER } from "../../engine/terms.ts";
import { readAmount } from "../../instruments/amounts.ts";
import type { KnownPairs } from "../../state/known-pairs.ts";
import type { Desk } from "../../trading/desk.ts";
import { actorOf } from "../accounts/admin-operations.ts";
import { adminOperation, type Caller, type SessionIdentity, type VenueOperation } from "../operation.ts";
import { bodySchemas } from "../schemas.ts";
import { currencyField, decimalField, MOVED, PENDING, referenceField } from "./fields.ts";
import { refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

type WalletAdminParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly users: Pick<UserCopies, "byId">;
  readonly audited: Audited;
};

const accountField = z
  .union([z.uuid("must be a user's id"), z.literal(HOUSE_USER)])
  .describe(`A user's id, or \`${HOUSE_USER}\`, the account that receives the fees.`);
const amounts = { currency: currencyField, amount: decimalField, reference: referenceField };

const depositSchema = z
  .strictObject({ userId: z.uuid("must be a user's id"), ...amounts })
  .register(bodySchemas, { id: "Deposit" });
const transferSchema = z
  .strictObject({ from: accountField, to: accountField, ...amounts })
  .refine(({ from, to }) => from !== to, { path: ["to"], message: "must be another account" })
  .register(bodySchemas, { id: "Transfer" });

type AdminCaller = Caller & { readonly identity: SessionIdentity };

type Movement = {
  readonly currency: string;
  readonly amount: string;
  readonly reference: string;
  readonly from: string | null;
  readonly to: string;
};

/** Deposits and transfers by admins; the audit log has each of them with its outcome. */
export function walletAdminOperations({ desk, pairs, users, audited }: WalletAdminParts): readonly VenueOperation[] {
  const isAccount = async (id: string) => id === HOUSE_USER || (await users.byId(id)) !== undefined;

  async function move(caller: AdminCaller, movement: Movement): Promise<Response> {
    const accounts = [movement.from, movement.to].filter((account) => account !== null);
    for (const account of accounts) if (!(await isAccount(account))) return caller.refuse("user_not_found");
    const known = await pairs.findCurrency(movement.currency);
    if (known === undefined) return caller.refuse("currency_not_found");
    const steps = readAmount(movement.amount, known.scale);
    if (!steps.ok) return caller.refuse("validation_failed", { errors: [{ field: "amount", message: steps.reason }] });
    const committed = await audited.run(entryOf(caller, movement), (onSubmitted) =>
      desk.submit(traderOf(caller), commandOf(movement, steps.value), { alsoNotify: accounts, onSubmitted }),
    );
    if (!committed.ok) return refuse(caller, committed.reason);
    const { outcome, sequence } = committed.value;
    return caller.answer(outcome.kind === "repetition" ? 200 : 201, movement, sequenceHeader(sequence));
  }

  return [
    adminOperation({
      method: "post",
      path: "/admin/wallet/deposits",
      id: "deposit",
      summary: "Deposit money for a user",
      limit: "admin",
      body: { schema: depositSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: [...MOVEMENT_REFUSALS, "user_not_found", "database_unavailable"],
      run: (caller, { body: { userId, currency, amount, reference } }) =>
        move(caller, { currency, amount, reference, from: null, to: userId }),
    }),
    adminOperation({
      method: "post",
      path: "/admin/wallet/transfers",
      id: "transfer",
      summary: "Transfer money from one account to another",
      limit: "admin",
      body: { schema: transferSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: [...MOVEMENT_REFUSALS, "user_not_found", "database_unavailable"],
      run: (caller, { body: { from, to, currency, amount, reference } }) =>
        move(caller, { currency, amount, reference, from, to }),
    }),
  ];
}

function entryOf(caller: AdminCaller, movement: Movement): AuditEntry {
  const { from, to } = movement;
  const action = from === null ? "wallet.deposited" : "wallet.transferred";
  return { actor: actorOf(caller), action, target: from ?? to, before: null, after: movement };
}

function commandOf({ currency, reference, from, to }: Movement, amount: bigint): CommandBody {
  const moved = { currency, amount, reference };
  return from === null ? { kind: "deposit", user: to, ...moved } : { kind: "transfer", from, to, ...moved };
}
