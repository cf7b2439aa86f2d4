import { z } from "zod";
import { programOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas } from "../api/schemas.ts";
import type { Desk } from "./desk.ts";
import { pairField } from "./new-order-schema.ts";
import { fillSchema } from "./order-answer.ts";
import { cursorField, limitField, nextCursorField } from "./paging.ts";
import type { TradeStore } from "./trade-store.ts";

const tradePageSchema = z
  .strictObject({ trades: z.array(fillSchema), nextCursor: nextCursorField })
  .register(answerSchemas, { id: "TradePage" });

export function tradeOperation({ desk, store }: { readonly desk: Desk; readonly store: TradeStore }): VenueOperation {
  return programOperation({
    method: "get",
    path: "/trades",
    id: "listTrades",
    summary: "My executions, the newest first",
    limit: "read",
    permission: "info",
    query: z.strictObject({ pair: pairField.optional(), cursor: cursorField, limit: limitField }),
    answers: { 200: { description: "One page.", schema: tradePageSchema } },
    refusals: ["venue_catching_up", "database_unavailable"],
    async run(caller, { query: { pair, cursor, limit } }) {
      const behind = await desk.catchUp(caller);
      if (behind !== undefined) return behind;
      const page = { pair, beforeId: cursor === undefined ? undefined : Number(cursor), limit: Number(limit) };
      const trades = await store.ofUser(caller.identity.user.id, page);
      return trades === undefined ? caller.refuse("venue_catching_up", { retryAfterSeconds: 1 }) : caller.answer(200, trades);
    },
  });
}
