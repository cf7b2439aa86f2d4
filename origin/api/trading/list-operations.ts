import { z } from "zod";
import { LIST_REFUSALS } from "../../commit/submit/refuse-reject.ts";
import type { ListName, ListPort } from "../../trading/list-port.ts";
import { programOperation, type VenueOperation } from "../operation.ts";
import { cursorField, limitField, PENDING, pageOf, pairField } from "./fields.ts";
import { clientListIdField, listPageSchema, listSchema, newListSchema } from "./list-schemas.ts";
import { answerRead, type KnownCaller, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

const listIdField = z.string().regex(/^[1-9]\d{0,14}$/, "must be a list's id");

const CANCEL_REFUSALS = [
  "list_not_found",
  "list_not_active",
  "venue_busy",
  "engine_unavailable",
  "venue_catching_up",
  "database_unavailable",
] as const;
const CANCELLED = { 200: { description: "Cancelled: the list's current state.", schema: listSchema }, 202: PENDING };

/** Orders that belong together: one cancels the other, or one is placed when another is filled. */
export function listOperations(trading: ListPort): readonly VenueOperation[] {
  async function cancel(caller: KnownCaller, name: ListName): Promise<Response> {
    const cancelled = await trading.cancelList(traderOf(caller), name);
    if (!cancelled.ok) return refuse(caller, cancelled.reason);
    return caller.answer(200, cancelled.value.list, sequenceHeader(cancelled.value.sequence));
  }

  return [
    programOperation({
      method: "post",
      path: "/order-lists",
      id: "placeOrderList",
      summary: "Place orders that belong together: all of them or none",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      body: { schema: newListSchema },
      answers: {
        201: { description: "Committed: the list with its orders after the commit.", schema: listSchema },
        200: {
          description: "The same `clientListId` and content were sent before: that list's current state.",
          schema: listSchema,
        },
        202: PENDING,
      },
      refusals: LIST_REFUSALS,
      async run(caller, { body }) {
        const placed = await trading.placeList(traderOf(caller), body);
        if (!placed.ok) return refuse(caller, placed.reason);
        const { list, isRepetition, sequence } = placed.value;
        return caller.answer(isRepetition ? 200 : 201, list, sequenceHeader(sequence));
      },
    }),
    programOperation({
      method: "get",
      path: "/order-lists",
      id: "listOrderLists",
      summary: "My order lists, the newest first",
      limit: "read",
      permission: "info",
      query: z.strictObject({
        status: z.enum(["active", "done"]).optional(),
        pair: pairField.optional(),
        cursor: cursorField,
        limit: limitField,
      }),
      answers: {
        200: {
          description:
            "One page. Lists that ended more than SLUICE_ARCHIVE_DAYS ago (90 days by default) are not listed; " +
            "`GET /order-lists/{listId}` still finds each of them.",
          schema: listPageSchema,
        },
      },
      refusals: ["venue_catching_up", "database_unavailable"],
      run: (caller, { query: { status, pair, ...page } }) =>
        answerRead(caller, () => trading.listLists(traderOf(caller), { status, pair, ...pageOf(page) })),
    }),
    programOperation({
      method: "get",
      path: "/order-lists/{listId}",
      id: "readOrderList",
      summary: "One order list of mine, with its orders",
      limit: "read",
      permission: "info",
      params: z.strictObject({ listId: listIdField }),
      answers: { 200: { description: "Its current state.", schema: listSchema } },
      refusals: ["list_not_found", "venue_catching_up", "database_unavailable"],
      run: (caller, { params: { listId } }) =>
        answerRead(caller, () => trading.readList(traderOf(caller), Number(listId))),
    }),
    programOperation({
      method: "delete",
      path: "/order-lists/{listId}",
      id: "cancelOrderList",
      summary: "Cancel an active order list of mine",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ listId: listIdField }),
      answers: CANCELLED,
      refusals: CANCEL_REFUSALS,
      run: (caller, { params: { listId } }) => cancel(caller, { listId: Number(listId) }),
    }),
    programOperation({
      method: "delete",
      path: "/order-lists/client/{clientListId}",
      id: "cancelOrderListByClientId",
      summary: "Cancel an active order list of mine by my own name for it",
      limit: "trade",
      submitsCommand: true,
      permission: "trade",
      params: z.strictObject({ clientListId: clientListIdField }),
      answers: CANCELLED,
      refusals: CANCEL_REFUSALS,
      run: (caller, { params: { clientListId } }) => cancel(caller, { clientListId }),
    }),
  ];
}
