import { z } from "zod";
import { etagOf } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { changeRoutes } from "./change-routes.ts";
import { addressOf, newRouteSchema, ROUTES_MAX, storedRouteSchema } from "./route-schemas.ts";

const ETAG = { etag: "The version of the table." };

export const addRoute = defineOperation({
  method: "post",
  path: "/admin/routes",
  id: "addRoute",
  summary: "Add one route; the others stay; in force everywhere within 2 s",
  headers: z.strictObject({
    "if-match": z.string().optional().describe("Add only to the table that you have seen: the ETag of a read."),
  }),
  body: { schema: newRouteSchema },
  answers: {
    201: { description: "Added.", schema: storedRouteSchema, headers: ETAG },
    200: { description: "This route existed already.", schema: storedRouteSchema, headers: ETAG },
  },
  refusals: ["version_conflict", "route_exists", "route_limit_reached"],
  run(operator, { body: route }) {
    const { answer, refuse } = operator;
    return changeRoutes(operator, {
      action: "routes.add",
      queueIds: [route.queueId],
      compute: ({ routes, bypass, version }) => {
        const same = routes.find((other) => addressOf(other) === addressOf(route));
        if (same?.queueId === route.queueId) return answer(200, same, { etag: etagOf(version) });
        if (same !== undefined) return refuse("route_exists");
        if (routes.length >= ROUTES_MAX) return refuse("route_limit_reached");
        return { routes: [...routes, route], bypass };
      },
      onUnknown: () =>
        refuse("validation_failed", { errors: [{ field: "queueId", message: "is not the id of a queue" }] }),
      onChanged: (_table, version) => answer(201, route, { etag: etagOf(version) }),
    });
  },
});
