import { z } from "zod";
import type { Route } from "../../../line/route.ts";
import { etagOf } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { storedBypassRule } from "./bypass-schemas.ts";
import { changeRoutes } from "./change-routes.ts";
import { newRouteTableSchema, routeTableSchema } from "./route-schemas.ts";

/** A full table of ordinary routes has 150 kB. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Routes that are left out are removed, so the caller must name the replaced table: its ETag, or `*` for any. */
export const replaceRoutes = defineOperation({
  method: "put",
  path: "/admin/routes",
  id: "replaceRoutes",
  summary:
    "Replace the whole table of routes and bypass rules; what is left out is gone; in force everywhere within 2 s",
  headers: z.strictObject({
    "if-match": z.string().describe("Required: the ETag of the table that you have read, or * for any."),
  }),
  body: { schema: newRouteTableSchema, bytesMax: BODY_BYTES_MAX },
  answers: {
    200: {
      description: "The table as it is now.",
      schema: routeTableSchema,
      headers: { etag: "The version of the table." },
    },
  },
  refusals: ["version_conflict", "precondition_required"],
  async run(operator, { body: { routes, bypass: written } }) {
    const { header, refuse, answer } = operator;
    if (header("if-match") === undefined) return refuse("precondition_required");
    const table = { routes, bypass: await Promise.all(written.map(storedBypassRule)) };
    return changeRoutes(operator, {
      action: "routes.replace",
      queueIds: routes.map(({ queueId }) => queueId),
      compute: () => table,
      onUnknown: (unknownIds) => refuse("validation_failed", { errors: faultsOf(routes, unknownIds) }),
      onChanged: (_table, version) => answer(200, table, { etag: etagOf(version) }),
    });
  },
});

function faultsOf(routes: readonly Route[], unknownIds: readonly string[]) {
  const isUnknown = new Set(unknownIds);
  return routes.flatMap(({ queueId }, index) =>
    isUnknown.has(queueId) ? [{ field: `routes.${index}.queueId`, message: "is not the id of a queue" }] : [],
  );
}

export const readRoutes = defineOperation({
  method: "get",
  path: "/admin/routes",
  id: "readRoutes",
  summary: "The routes to queues, and the bypass rules",
  answers: {
    200: { description: "The whole table.", schema: routeTableSchema, headers: { etag: "The version of the table." } },
  },
  refusals: [],
  async run({ routeTable, answer }) {
    const { routes, bypass, version } = await routeTable.read();
    return answer(200, { routes, bypass }, { etag: etagOf(version) });
  },
});
