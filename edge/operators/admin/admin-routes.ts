import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { problemResponse } from "../../../shared/http/errors.ts";
import { gateOf } from "../../admit/open-gate.ts";
import { StoreUnavailable } from "../../admit/outage/outage.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { log } from "../../request/log.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { recogniseOperator } from "./operator-token.ts";
import { readInput } from "./read-input.ts";

/**
 * The operator API, under `/_sluice/admin`. Every request presents the operator token; every body is checked completely
 * before anything is written; every change is in the audit log. When the store is unavailable each operation answers
 * 503 within a second; then a change may or may not have been made, and a retry is safe.
 */
export function adminRoutes(): Hono<EdgeEnvironment> {
  const routes = new Hono<EdgeEnvironment>();

  routes.use(async (c, next) => {
    const { visit } = c.var;
    const gate = await gateOf(visit);
    if (!gate.ok) return gate.reason;
    const actor = await recogniseOperator(visit, gate.value.limits.admin);
    if (!actor.ok) return actor.reason;
    c.set("actor", actor.value);
    return next();
  });
  routes.use(methodNotAllowed({ app: routes, onMethodNotAllowed: refuseMethod }));
  for (const operation of operations) {
    routes.on(operation.method.toUpperCase(), routePattern(operation.path), async (c) => {
      const gate = await gateOf(c.var.visit);
      return gate.ok ? serve(operatorOf(c, gate.value), c, operation) : gate.reason;
    });
  }
  routes.onError(onError);
  return routes;
}

async function serve(operator: Operator, c: Context<EdgeEnvironment>, operation: Operation): Promise<Response> {
  const input = await readInput(c, operation);
  if (input.ok) return operation.run(operator, input.value);
  const { code, ...options } = input.reason;
  return operator.refuse(code, options);
}

const RETRY_AFTER_SECONDS = 2;

function onError(error: Error, c: Context<EdgeEnvironment>): Response {
  if (!(error instanceof StoreUnavailable)) throw error;
  const { requestId, target } = c.var.visit;
  log("warn", "the store failed during an operator's request", { requestId, path: target.path, error });
  return problemResponse("store_unavailable", { requestId, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const ADMIN = "/admin";

/** `/admin/queues/{queueId}` of the document is `/queues/:queueId` here. */
function routePattern(path: string): string {
  return path.slice(ADMIN.length).replaceAll(/\{(\w+)\}/g, ":$1");
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  const { requestId } = (c as Context<EdgeEnvironment>).var.visit;
  return problemResponse("method_not_allowed", { requestId, headers: { allow: methods.join(", ") } });
}
