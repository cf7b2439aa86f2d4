import { z } from "zod";
import { etagOf } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { changeRoutes } from "./change-routes.ts";
import { addressOf, newRouteSchema } from "./route-schemas.ts";

/** A route is named by its host and path, which are unique, so that clients need no id. */
export const removeRoute = defineOperation({
  method: "delete",
  path: "/admin/routes",
  id: "removeRoute",
  summary: "Remove one route; the others stay; in force everywhere within 2 s",
  headers: z.strictObject({
    "if-match": z.string().optional().describe("Remove only from the table that you have seen: the ETag of a read."),
  }),
  query: newRouteSchema.pick({ host: true, path: true }),
  answers: {
    204: {
      description: "Deleted. The next matching route covers its address, or none.",
      headers: { etag: "The version of the table." },
    },
  },
  refusals: ["version_conflict", "route_not_found"],
  run(operator, { query: named }) {
    const { answer, refuse } = operator;
    return changeRoutes(operator, {
      action: "routes.remove",
      queueIds: [],
      compute: ({ routes, bypass }) => {
        const kept = routes.filter((route) => addressOf(route) !== addressOf(named));
        return kept.length === routes.length ? refuse("route_not_found") : { routes: kept, bypass };
      },
      // No queue has to be there for a route to go.
      onUnknown: () => refuse("version_conflict"),
      onChanged: (_table, version) => answer(204, undefined, { etag: etagOf(version) }),
    });
  },
});
