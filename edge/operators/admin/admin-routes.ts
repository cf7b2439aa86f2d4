import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { assert } from "../../shared/assert.ts";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { gateOfIsolate } from "../gate/open-gate.ts";
import { StoreUnavailable } from "../gate/outage.ts";
import { log } from "../log.ts";
import type { Platform } from "../platform.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { recogniseOperator } from "./operator-token.ts";
import { readInput } from "./read-input.ts";

/**
 * What the team behind the gate configures and reads, under `/_sluice/admin`. Every request shows the operator token; every
 * body is checked whole before anything is written; every change is in the log. With the store down each operation answers
 * 503 within a second; then a change may or may not have been made, and asking again is safe.
 */
export function adminRoutes(platform: Platform): Hono<EdgeEnvironment> {
  const routes = new Hono<EdgeEnvironment>();

  routes.use(async (c, next) => {
    const { visit } = c.var;
    const gate = await gateOfIsolate(visit.configuration);
    if (!gate.ok) {
      log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId: visit.requestId, faults: gate.reason });
      return problemResponse("internal_error", { requestId: visit.requestId });
    }
    const actor = await recogniseOperator(visit, gate.value.limits.admin);
    if (!actor.ok) return actor.reason;
    c.set("actor", actor.value);
    return next();
  });
  routes.use(methodNotAllowed({ app: routes, onMethodNotAllowed: refuseMethod }));
  for (const operation of operations) {
    routes.on(operation.method.toUpperCase(), routePattern(operation.path), async (c) => {
      const gate = await gateOfIsolate(c.var.visit.configuration);
      assert(gate.ok, "the gate was open when the operator came in");
      return serve(operatorOf(c, { gate: gate.value, platform }), c, operation);
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
  log("warn", "the store failed an operator", { requestId, path: target.path, error });
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
