import { z } from "zod";
import { MOVEMENT_REFUSALS } from "../../commit/submit/refuse-reject.ts";
import type { WalletPort } from "../../trading/trading-port.ts";
import { HISTORY_CURSOR, movementSchema } from "../../trading/wallet-history.ts";
import { programOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { currencyField, decimalField, limitField, MOVED, nextCursorField, PENDING, referenceField } from "./fields.ts";
import { answerRead, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

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
  .strictObject({ entries: z.array(movementSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "WalletHistory" });

const historyCursorField = z.string().regex(HISTORY_CURSOR, "must be the nextCursor of a page").optional();

const withdrawalSchema = z
  .strictObject({ currency: currencyField, amount: decimalField, reference: referenceField })
  .register(bodySchemas, { id: "Withdrawal" });

export function walletOperations(trading: WalletPort): readonly VenueOperation[] {
  return [
    programOperation({
      method: "get",
      path: "/wallet",
      id: "readWallet",
      summary: "My balances, by currency",
      limit: "read",
      permission: "info",
      answers: { 200: { description: "Every currency that this account ever held.", schema: walletSchema } },
      refusals: ["venue_catching_up"],
      run: (caller) =>
        answerRead(
          caller,
          () => trading.readBalances(traderOf(caller)),
          (balances) => ({ balances }),
        ),
    }),
    programOperation({
      method: "get",
      path: "/wallet/history",
      id: "readWalletHistory",
      summary: "My deposits, withdrawals and transfers, the newest first",
      limit: "read",
      permission: "info",
      query: z.strictObject({ cursor: historyCursorField, limit: limitField }),
      answers: { 200: { description: "One page.", schema: historySchema } },
      refusals: ["venue_catching_up", "database_unavailable"],
      run: (caller, { query: { cursor, limit } }) =>
        answerRead(caller, () => trading.listMovements(traderOf(caller), { cursor, limit: Number(limit) })),
    }),
    programOperation({
      method: "get",
      path: "/wallet/{currency}",
      id: "readBalance",
      summary: "My balance in one currency",
      limit: "read",
      permission: "info",
      params: z.strictObject({ currency: currencyField }),
      answers: { 200: { description: "Zero for a currency that this account never held.", schema: balanceSchema } },
      refusals: ["currency_not_found", "venue_catching_up"],
      run: (caller, { params: { currency } }) =>
        answerRead(caller, () => trading.readBalance(traderOf(caller), currency)),
    }),
    programOperation({
      method: "post",
      path: "/wallet/withdrawals",
      id: "withdraw",
      summary: "Withdraw money",
      limit: "change",
      submitsCommand: true,
      permission: "withdraw",
      body: { schema: withdrawalSchema },
      answers: { ...MOVED, 202: PENDING },
      refusals: MOVEMENT_REFUSALS,
      async run(caller, { body }) {
        const moved = await trading.withdraw(traderOf(caller), body);
        if (!moved.ok) return refuse(caller, moved.reason);
        const { isRepetition, sequence } = moved.value;
        const movement = { ...body, from: caller.identity.user.id, to: null };
        return caller.answer(isRepetition ? 200 : 201, movement, sequenceHeader(sequence));
      },
    }),
  ];
}
