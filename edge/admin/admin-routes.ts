import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { log } from "../log.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { operatorOf } from "./operator.ts";
import { requireOperator } from "./operator-token.ts";
import { readInput } from "./read-input.ts";
import { StoreFailure } from "./watched-store.ts";

/**
 * What the team behind the gate configures and reads. Every request shows the operator token; every body is checked whole
 * before anything is written; every change is in the log. With the store down each operation answers 503 within a second;
 * then a change may or may not have been made, and asking again is safe.
 */
export const adminRoutes = new Hono<EdgeEnvironment>();

const ADMIN = "/admin";
const RETRY_AFTER_SECONDS = 2;

adminRoutes.use(requireOperator);
adminRoutes.use(methodNotAllowed({ app: adminRoutes, onMethodNotAllowed: (c, methods) => refuseMethod(c, methods) }));
for (const operation of operations) {
  adminRoutes.on(operation.method.toUpperCase(), routePattern(operation.path), (c) => serve(c, operation));
}

adminRoutes.onError((error, c) => {
  if (!(error instanceof StoreFailure)) throw error;
  const { requestId, target } = c.var.visit;
  log("warn", "the store failed an operator", { requestId, path: target.path, error });
  return problemResponse("store_unavailable", { requestId, retryAfterSeconds: RETRY_AFTER_SECONDS });
});

async function serve(c: Context<EdgeEnvironment>, operation: Operation): Promise<Response> {
  const operator = operatorOf(c);
  const input = await readInput(c, operation);
  if (input.ok) return operation.run(operator, input.value);
  const { code, ...options } = input.reason;
  return operator.refuse(code, options);
}

/** `/admin/queues/{queueId}` of the document is `/queues/:queueId` here. */
function routePattern(path: string): string {
  return path.slice(ADMIN.length).replaceAll(/\{(\w+)\}/g, ":$1");
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  const { requestId } = (c as Context<EdgeEnvironment>).var.visit;
  return problemResponse("method_not_allowed", { requestId, headers: { allow: methods.join(", ") } });
}
