import { z } from "zod";
import { plainPattern } from "../../../admit/routes/route-table.ts";
import { type Route, routeSchema } from "../../../line/route.ts";
import { answerSchemas, bodySchemas, queueIdField } from "../schemas.ts";
import { newBypassRuleSchema, pathField, storedBypassRuleSchema } from "./bypass-schemas.ts";

export const ROUTES_MAX = 1_000;
/** Each is looked at for every request. */
const BYPASS_RULES_MAX = 100;

export const newRouteSchema = z
  .strictObject({ host: routeSchema.shape.host, path: pathField, queueId: queueIdField })
  .register(bodySchemas, { id: "NewRoute" });

/** Matching knows no case, so neither does the question whether two routes are the same. */
export function addressOf({ host, path }: Pick<Route, "host" | "path">): string {
  return `${plainPattern(host)} ${path}`.toLowerCase();
}

export const newRouteTableSchema = z
  .strictObject({
    routes: z.array(newRouteSchema).max(ROUTES_MAX),
    bypass: z.array(newBypassRuleSchema).max(BYPASS_RULES_MAX).default([]),
  })
  .superRefine(({ routes }, ctx) => {
    const seen = new Set<string>();
    for (const [index, route] of routes.entries()) {
      const address = addressOf(route);
      if (seen.has(address))
        ctx.addIssue({
          code: "custom",
          path: ["routes", index],
          message: "has the host and path of a route before it",
        });
      seen.add(address);
    }
  })
  .register(bodySchemas, { id: "NewRouteTable" });

export const storedRouteSchema = routeSchema.extend({ queueId: queueIdField }).register(answerSchemas, { id: "Route" });

export const routeTableSchema = z
  .strictObject({ routes: z.array(storedRouteSchema), bypass: z.array(storedBypassRuleSchema) })
  .register(answerSchemas, { id: "RouteTable" });
