import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../shared/errors.ts";
import { fieldFaults } from "../../shared/field-faults.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { programOperation, type RefusalOptions, type VenueOperation } from "../api/operation.ts";
import { answerSchemas, bodySchemas } from "../api/schemas.ts";
import type { PlaceOrder } from "../engine/command.ts";
import type { KnownPair } from "../pairs/pair-numbers.ts";
import { refusalOfSent, SEQUENCE_HEADER, type Sent } from "./desk.ts";
import { newOrderSchema } from "./new-order-schema.ts";
import { orderWithFillsSchema } from "./order-answer.ts";
import type { OrderParts } from "./order-operations.ts";
import { placedAnswer } from "./placed-answer.ts";
import { readOrder } from "./read-order.ts";

/** One turn of the event loop reads and answers this many in a few milliseconds. */
const BATCH_MAX = 100;

/** Each order is read by itself, so that one that cannot be taken does not take the others with it. */
const batchSchema = z
  .strictObject({
    orders: z
      .array(z.unknown().meta({ $ref: "#/components/schemas/NewOrder" }))
      .min(1, "must hold an order")
      .max(BATCH_MAX, `must hold at most ${BATCH_MAX} orders`),
  })
  .register(bodySchemas, { id: "NewOrders" });

const resultSchema = z.union([
  z.strictObject({ status: z.union([z.literal(200), z.literal(201)]), order: orderWithFillsSchema }),
  z.strictObject({ status: z.literal(202), commandId: z.string() }),
  z.strictObject({
    status: z.int().min(400).max(599),
    code: z.string(),
    title: z.string(),
    detail: z.string().optional(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  }),
]);

const batchAnswerSchema = z
  .strictObject({ results: z.array(resultSchema).describe("One for each order, in the order they came in: as if it had been sent alone.") })
  .register(answerSchemas, { id: "BatchResults" });

type BatchResult = z.input<typeof resultSchema>;
type Refusal = readonly [ErrorCode, RefusalOptions?];
type Read = { readonly command: PlaceOrder; readonly pair: KnownPair; readonly place: number };

export function batchOperation({ desk, pairs, store, openOrdersMax }: OrderParts): VenueOperation {
  async function read(order: unknown, place: number, user: string): Promise<Result<Read, Refusal>> {
    const parsed = newOrderSchema.safeParse(order);
    if (!parsed.success) return fail(["validation_failed", { errors: fieldFaults(parsed.error) }]);
    const pair = await pairs.findPair(parsed.data.pair);
    if (pair === undefined) return fail(["pair_not_found"]);
    const command = readOrder(parsed.data, { pair, user, openOrdersMax: openOrdersMax() });
    return command.ok ? ok({ command: command.value, pair, place }) : fail(["validation_failed", { errors: command.reason }]);
  }

  async function resultOf(sent: Sent, { pair, command }: Read, catchUp: () => Promise<boolean>): Promise<BatchResult> {
    if (sent.kind === "unknown" && sent.commandId !== undefined) return { status: 202, commandId: sent.commandId };
    const placed = sent.kind === "accepted" ? await placedAnswer(sent.outcome, { user: command.user, pair, store, catchUp }) : undefined;
    return placed ?? refused(refusalOfSent(sent) ?? ["venue_catching_up"]);
  }

  return programOperation({
    method: "post",
    path: "/orders/batch",
    id: "placeOrders",
    summary: `Up to ${BATCH_MAX} orders in one request, each with its own end`,
    limit: "batch",
    submitsCommand: true,
    permission: "trade",
    body: { schema: batchSchema },
    answers: { 200: { description: "What became of each.", schema: batchAnswerSchema } },
    refusals: ["venue_busy", "engine_unavailable", "backlog_full"],
    async run(caller, { body }) {
      const { id } = caller.identity.user;
      const orders = await Promise.all(body.orders.map((order, place) => read(order, place, id)));
      const good = orders.flatMap((order) => (order.ok ? [order.value] : []));
      const sent = await desk.sendAll(caller, good);
      const [first] = sent;
      // Nothing was written: the whole request can be sent again.
      if (first?.kind === "refused" && sent.length === orders.length && sent.every(({ kind }) => kind === "refused")) {
        return caller.refuse(...(refusalOfSent(first) ?? ["venue_busy"]));
      }
      if (first !== undefined && sent.every((one) => one.kind === "rejected" && one.code === "request_replayed")) {
        return caller.refuse("request_replayed");
      }
      const catchUp = async () => (await desk.catchUp(caller)) === undefined;
      const ends = await Promise.all(sent.map((one, index) => resultOf(one, at(good, index), catchUp)));
      let next = 0;
      const results = orders.map((order) => (order.ok ? at(ends, next++) : refused(order.reason)));
      const sequence = Math.max(0, ...sent.map((one) => ("sequence" in one ? one.sequence : 0)));
      return caller.answer(200, { results }, sequence === 0 ? {} : { [SEQUENCE_HEADER]: String(sequence) });
    },
  });
}

function refused([code, options]: Refusal): BatchResult {
  const { status, title } = errorCatalogue[code];
  const { detail, errors } = options ?? {};
  return { status, code, title, ...(detail === undefined ? {} : { detail }), ...(errors === undefined ? {} : { errors: [...errors] }) };
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index] as Item;
}
