import type { Context } from "hono";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { log } from "../log.ts";
import { clientAddress } from "../proxy/client-address.ts";
import { openRegistry, type Registry } from "../queue/registry.ts";
import { openStore } from "../store/upstash.ts";
import { openRouteTable, type RouteTable } from "./route-table.ts";
import { watchedStore } from "./watched-store.ts";

/** Somebody who has shown the operator token: what an operation may use on their behalf. */
export type Operator = {
  readonly store: ScriptRunner;
  readonly registry: Registry;
  readonly routeTable: RouteTable;
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  readonly refuse: (code: ErrorCode, options?: RefusalOptions) => Response;
  /** Who changed what, for the log. One token is shared by all operators, so the address says who. */
  readonly note: (change: string, fields: Readonly<Record<string, unknown>>) => void;
};

type RefusalOptions = { readonly detail?: string; readonly errors?: readonly { readonly field: string; readonly message: string }[] };

export function operatorOf(c: Context<EdgeEnvironment>): Operator {
  const { request, requestId, configuration } = c.var.visit;
  const store = watchedStore(openStore(configuration.store));
  const address = clientAddress(request, configuration.clientAddressFrom);
  return {
    store,
    registry: openRegistry(store),
    routeTable: openRouteTable(store),
    header: (name) => request.headers.get(name) ?? undefined,
    answer,
    refuse: (code, options) => problemResponse(code, { requestId, ...options }),
    note: (change, fields) => log("info", `an operator ${change}`, { requestId, address, ...fields }),
  };
}

/** Configuration and the ids of sessions are nobody else's business, least of all a cache's. */
function answer(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const all = { "cache-control": "no-store", ...headers };
  return body === undefined ? new Response(null, { status, headers: all }) : Response.json(body, { status, headers: all });
}
