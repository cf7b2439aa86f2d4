import { z } from "zod";
import { type BypassRule, bypassRuleSchema } from "./bypass-rule.ts";
import { type Route, routeSchema } from "./route.ts";

/** The content of `gate:{directory}:routes`: the routes to queues, and the bypass rules. */
export type RouteTableContent = { readonly routes: readonly Route[]; readonly bypass: readonly BypassRule[] };

const contentSchema = z.union([
  z.strictObject({ routes: z.array(routeSchema), bypass: z.array(bypassRuleSchema) }),
  // A table from before there were bypass rules.
  z.array(routeSchema).transform((routes) => ({ routes, bypass: [] })),
]);

/** Throws on a text that no version of Sluice wrote. */
export function parseRouteTable(text: string): RouteTableContent {
  return text === "" ? { routes: [], bypass: [] } : contentSchema.parse(JSON.parse(text));
}

export function routeTableText({ routes, bypass }: RouteTableContent): string {
  return JSON.stringify({ routes, bypass });
}
