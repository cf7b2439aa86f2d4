import { z } from "zod";
import { type ErrorCode, errorCatalogue, type RefusalOptions } from "../../../shared/http/errors.ts";
import { fieldFaults } from "../../../shared/http/field-faults.ts";
import type { Result } from "../../../shared/result.ts";
import type { OrderPort, OrderWithFills, PlacedOrder, TradingFailure } from "../../trading/trading-port.ts";
import { programOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { newOrderSchema, orderWithFillsSchema } from "./order-schemas.ts";
import { problemOf, refuse, sequenceHeader, traderOf } from "./trading-answer.ts";

/** One turn of the event loop reads and answers this many in a few milliseconds. */
const BATCH_MAX = 100;

/** Each order is parsed on its own, so that an invalid one does not fail the others. */
const batchSchema = z
  .strictObject({
    orders: z
      .array(z.unknown().meta({ $ref: "#/components/schemas/NewOrder" }))
      .min(1, "must hold an order")
      .max(BATCH_MAX, `must hold at most ${BATCH_MAX} orders`),
  })
  .register(bodySchemas, { id: "NewOrders" });

export const refusedResultSchema = z.strictObject({
  status: z.int().min(400).max(599),
  code: z.string(),
  title: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
});

const resultSchema = z.union([
  z.strictObject({ status: z.union([z.literal(200), z.literal(201)]), order: orderWithFillsSchema }),
  z.strictObject({ status: z.literal(202), commandId: z.string() }),
  refusedResultSchema,
]);

const batchAnswerSchema = z
  .strictObject({
    results: z
      .array(resultSchema)
      .describe("One for each order, in the order of the request: as if it had been the only one."),
  })
  .register(answerSchemas, { id: "BatchResults" });

type BatchResult =
  | { readonly status: 200 | 201; readonly order: OrderWithFills }
  | { readonly status: 202; readonly commandId: string }
  | RefusedResult;

type RefusedResult = z.input<typeof refusedResultSchema>;

type Placed = Result<PlacedOrder, TradingFailure>;

export function batchOperation(trading: OrderPort): VenueOperation {
  return programOperation({
    method: "post",
    path: "/orders/batch",
    id: "placeOrders",
    summary: `Up to ${BATCH_MAX} orders in one request, each with its own result`,
    limit: "batch",
    submitsCommand: true,
    permission: "trade",
    body: { schema: batchSchema },
    answers: { 200: { description: "The result of each order.", schema: batchAnswerSchema } },
    refusals: ["venue_busy", "engine_unavailable", "backlog_full"],
    async run(caller, { body }) {
      const parsed = body.orders.map((order) => newOrderSchema.safeParse(order));
      const valid = parsed.flatMap(({ success, data }) => (success ? [data] : []));
      const placed = await trading.placeOrders(traderOf(caller), valid);
      const failure = valid.length === parsed.length ? refusalOfAll(placed) : undefined;
      if (failure !== undefined) return refuse(caller, failure);
      if (isReplayed(placed)) return caller.refuse("request_replayed");
      let next = 0;
      const results = parsed.map(({ success, error }) =>
        success
          ? resultOf(placed[next++] as Placed)
          : refusedResult(["validation_failed", { errors: fieldFaults(error) }]),
      );
      return caller.answer(200, { results }, sequenceHeader(newestSequence(placed)));
    },
  });
}

/** Nothing was written: the whole request can be sent again. */
function refusalOfAll(placed: readonly Placed[]): TradingFailure | undefined {
  const [first] = placed;
  const isRefused = placed.every((result) => !result.ok && result.reason.kind === "refused");
  return isRefused && first !== undefined && !first.ok ? first.reason : undefined;
}

/** The engine has seen every command of this request before. */
function isReplayed(placed: readonly Placed[]): boolean {
  const submitted = placed.filter((result) => result.ok || wasSubmitted(result.reason));
  return (
    submitted.length > 0 &&
    submitted.every(
      (result) => !result.ok && result.reason.kind === "rejected" && result.reason.code === "request_replayed",
    )
  );
}

function wasSubmitted(failure: TradingFailure): boolean {
  return failure.kind !== "invalid" && !(failure.kind === "rejected" && failure.sequence === undefined);
}

function newestSequence(placed: readonly Placed[]): number | undefined {
  const sequences = placed.flatMap((result) => {
    const told = result.ok ? result.value : result.reason;
    return "sequence" in told && told.sequence !== undefined ? [told.sequence] : [];
  });
  return sequences.length === 0 ? undefined : Math.max(...sequences);
}

function resultOf(placed: Placed): BatchResult {
  if (placed.ok) return { status: placed.value.isRepetition ? 200 : 201, order: placed.value.order };
  const failure = placed.reason;
  if (failure.kind === "unknown" && failure.commandId !== undefined)
    return { status: 202, commandId: failure.commandId };
  return refusedResult(problemOf(failure));
}

export function refusedResult([code, options]: readonly [ErrorCode, RefusalOptions?]): RefusedResult {
  const { status, title } = errorCatalogue[code];
  const { detail, errors } = options ?? {};
  return {
    status,
    code,
    title,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
  };
}
