import { z } from "zod";
import { unreachable } from "../../shared/assert.ts";
import type { Route } from "../queue/registry.ts";
import { etagOf, matchesEtag } from "./etag.ts";
import { defineOperation } from "./operation.ts";
import { newRouteTableSchema, routeTableSchema } from "./route-schemas.ts";

/** A full table of ordinary routes has 150 kB. */
const BODY_BYTES_MAX = 1024 * 1024;

export const replaceRoutes = defineOperation({
  method: "put",
  path: "/admin/routes",
  id: "replaceRoutes",
  summary: "Replace the whole table of routes; in force everywhere within 2 s",
  headers: z.strictObject({ "if-match": z.string().optional().describe("Replace only what you have seen: the ETag of a read.") }),
  body: { schema: newRouteTableSchema, bytesMax: BODY_BYTES_MAX },
  answers: { 200: { description: "The table as it is now.", schema: routeTableSchema, headers: { etag: "The version of the table." } } },
  refusals: ["version_conflict"],
  async run({ routeTable, header, answer, refuse, changed }, { body: { routes } }) {
    const ifMatch = header("if-match");
    const before = await routeTable.read();
    if (!matchesEtag(ifMatch, before.version)) return refuse("version_conflict");
    const replacement = await routeTable.replace(routes, { seen: ifMatch === undefined ? undefined : before.version });
    switch (replacement.outcome) {
      case "replaced":
        changed("replaced the routes", changesBetween(before.routes, routes));
        return answer(200, { routes }, { etag: etagOf(replacement.version) });
      case "conflict":
        return refuse("version_conflict");
      case "unknown": {
        const isUnknown = new Set(replacement.queueIds);
        const errors = routes.flatMap(({ queueId }, index) =>
          isUnknown.has(queueId) ? [{ field: `routes.${index}.queueId`, message: "is not the id of a queue" }] : [],
        );
        return refuse("validation_failed", { errors });
      }
      default:
        return unreachable(replacement);
    }
  },
});

function changesBetween(before: readonly Route[], after: readonly Route[]) {
  const textsOf = (routes: readonly Route[]) => new Set(routes.map(({ host, path, queueId }) => `${host}${path} -> ${queueId}`));
  const [old, current] = [textsOf(before), textsOf(after)];
  return { added: [...current].filter((route) => !old.has(route)), removed: [...old].filter((route) => !current.has(route)) };
}
