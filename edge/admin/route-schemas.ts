import { z } from "zod";
import { normalisePath } from "../proxy/normalise-path.ts";
import { routeSchema } from "../queue/registry.ts";
import { answerSchemas, bodySchemas, queueIdField } from "./schemas.ts";

const ROUTES_MAX = 1_000;

/** A path is kept as the gate reads paths; one that the gate would refuse could never match, and would protect nothing. */
const pathField = routeSchema.shape.path.transform((path, ctx) => {
  const isPrefix = path.endsWith("*");
  const normalised = normalisePath(isPrefix ? path.slice(0, -1) : path);
  if (normalised.ok) return isPrefix ? `${normalised.value}*` : normalised.value;
  ctx.addIssue({ code: "custom", message: "must be a path in its plain form" });
  return z.NEVER;
});

const newRouteSchema = z
  .strictObject({ host: routeSchema.shape.host, path: pathField, queueId: queueIdField })
  .register(bodySchemas, { id: "NewRoute" });

/** Matching knows no case, so neither does the question whether two routes are the same. */
export const newRouteTableSchema = z
  .strictObject({ routes: z.array(newRouteSchema).max(ROUTES_MAX) })
  .superRefine(({ routes }, ctx) => {
    const seen = new Set<string>();
    for (const [index, { host, path }] of routes.entries()) {
      const address = `${host} ${path}`.toLowerCase();
      if (seen.has(address))
        ctx.addIssue({ code: "custom", path: ["routes", index], message: "has the host and path of a route before it" });
      seen.add(address);
    }
  })
  .register(bodySchemas, { id: "NewRouteTable" });

const storedRouteSchema = routeSchema.extend({ queueId: queueIdField }).register(answerSchemas, { id: "Route" });

export const routeTableSchema = z.strictObject({ routes: z.array(storedRouteSchema) }).register(answerSchemas, { id: "RouteTable" });
