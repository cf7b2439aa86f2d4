import { z } from "zod";
import { errorCatalogue } from "../../shared/errors.ts";
import { programOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas } from "../api/schemas.ts";
import { SEALED_CHARS_MAX } from "./command-seal.ts";
import type { Accepted, Desk } from "./desk.ts";
import { orderSchema } from "./order-answer.ts";
import type { OrderStore } from "./order-store.ts";
import { refusalOf } from "./refuse-reject.ts";

const outcomeSchema = z
  .strictObject({
    state: z.enum(["pending", "done", "rejected"]),
    orders: z.array(orderSchema).optional().describe("Of a command about orders: how they stand now."),
    code: z.string().optional().describe("Why it was rejected; nothing was changed then."),
    title: z.string().optional(),
  })
  .register(answerSchemas, { id: "CommandOutcome" });

/** What became of a command that was answered with 202. */
export function commandOperation({ desk, store }: { readonly desk: Desk; readonly store: OrderStore }): VenueOperation {
  return programOperation({
    method: "get",
    path: "/commands/{commandId}",
    id: "readCommand",
    summary: "What became of a command of mine that was answered with 202",
    limit: "read",
    permission: "info",
    params: z.strictObject({ commandId: z.string().max(SEALED_CHARS_MAX) }),
    answers: { 200: { description: "Its end, or that it has not come to one.", schema: outcomeSchema } },
    refusals: ["command_not_found", "venue_catching_up", "database_unavailable"],
    async run(caller, { params: { commandId } }) {
      const userId = caller.identity.user.id;
      const known = await desk.outcomeOf(userId, commandId);
      if (known.kind === "forgotten") return caller.refuse("command_not_found");
      if (known.kind === "pending") return caller.answer(200, { state: "pending" });
      const { outcome } = known;
      if (outcome.kind === "rejected") {
        const [code] = refusalOf(outcome.code);
        return caller.answer(200, { state: "rejected", code, title: errorCatalogue[code].title });
      }
      const behind = await desk.catchUp(caller);
      if (behind !== undefined) return behind;
      return caller.answer(200, { state: "done", orders: await store.readAll(userId, ordersOf(outcome)) });
    },
  });
}

function ordersOf(outcome: Accepted): readonly number[] {
  switch (outcome.kind) {
    case "order":
      return [outcome.order.id];
    case "cancelled":
      return outcome.orders.map(({ id }) => id);
    case "repetition":
      return outcome.orderId === 0 ? [] : [outcome.orderId];
    case "done":
      return [];
  }
}
