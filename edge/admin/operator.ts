import type { Context } from "hono";
import { systemClock } from "../../shared/clock.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { EdgeEnvironment } from "../env.ts";
import type { Gate } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import { clientAddress } from "../proxy/client-address.ts";
import { openRegistry, type Registry } from "../queue/registry.ts";
import type { FieldFault } from "./field-faults.ts";
import { openRouteTable, type RouteTable } from "./route-table.ts";
import { startingWithin } from "./starting-within.ts";

/** Somebody who has shown the operator token: what an operation may use on their behalf. */
export type Operator = {
  /** Every call once: a change that was made and not answered is the operator's to look at, not ours to repeat. */
  readonly store: ScriptRunner;
  readonly registry: Registry;
  readonly routeTable: RouteTable;
  /** For what takes many calls; see `startingWithin`. */
  readonly storeWithin: (limitMs: number) => ScriptRunner;
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  readonly refuse: (code: ErrorCode, options?: { readonly detail?: string; readonly errors?: readonly FieldFault[] }) => Response;
  /** Who changed what goes into the log. One token is shared by all operators, so the address says who. */
  readonly changed: (what: string, fields: Readonly<Record<string, unknown>>) => void;
  /** This isolate need not wait for the feed. */
  readonly learnRevocation: (queueId: QueueId, id: string) => void;
};

/** With the longest that one call may take (500 ms) on top, an answer comes within a second. */
const STARTING_WITHIN_MS = 450;

export function operatorOf(c: Context<EdgeEnvironment>, gate: Gate): Operator {
  const { request, requestId, configuration } = c.var.visit;
  const address = clientAddress(request, configuration.clientAddressFrom);
  const storeWithin = (limitMs: number) => startingWithin(gate.store.once, { limitMs, clock: systemClock });
  const store = storeWithin(STARTING_WITHIN_MS);
  return {
    store,
    registry: openRegistry(store),
    routeTable: openRouteTable(store),
    storeWithin,
    header: (name) => request.headers.get(name) ?? undefined,
    answer,
    refuse: (code, options) => problemResponse(code, { requestId, ...options }),
    changed(what, fields) {
      log("info", `an operator ${what}`, { requestId, address, ...fields });
      gate.directory.expire();
    },
    learnRevocation: (queueId, id) => gate.memoryOf(queueId).revocations.learn(id),
  };
}

/** Configuration and the ids of sessions are nobody else's business, least of all a cache's. */
function answer(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const all = { "cache-control": "no-store", ...headers };
  return body === undefined ? new Response(null, { status, headers: all }) : Response.json(body, { status, headers: all });
}
