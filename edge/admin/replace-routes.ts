import { z } from "zod";
import type { Route } from "../queue/route.ts";
import type { RouteTableContent } from "../queue/route-table-text.ts";
import { storedBypassRule } from "./bypass-schemas.ts";
import { etagOf, matchesEtag } from "./etag.ts";
import { defineOperation } from "./operation.ts";
import { newRouteTableSchema, routeTableSchema } from "./route-schemas.ts";

/** A full table of ordinary routes has 150 kB. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Somebody else wins each lost try; with more than that at once, the operator should look at what the others do. */
const TRIES_MAX = 4;

export const replaceRoutes = defineOperation({
  method: "put",
  path: "/admin/routes",
  id: "replaceRoutes",
  summary: "Replace the whole table of routes and bypass rules; what is left out is gone; in force everywhere within 2 s",
  headers: z.strictObject({ "if-match": z.string().optional().describe("Replace only what you have seen: the ETag of a read.") }),
  body: { schema: newRouteTableSchema, bytesMax: BODY_BYTES_MAX },
  answers: { 200: { description: "The table as it is now.", schema: routeTableSchema, headers: { etag: "The version of the table." } } },
  refusals: ["version_conflict"],
  async run({ routeTable, header, answer, refuse, auditEntry, changed }, { body: { routes, bypass: written } }) {
    const table = { routes, bypass: await Promise.all(written.map(storedBypassRule)) };
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const before = await routeTable.read();
      if (!matchesEtag(header("if-match"), before.version)) return refuse("version_conflict");
      const intent = { action: "routes.replace", queueId: null, ...changesBetween(before, table) } as const;
      // Always over the table that was read, so that the audit log tells what was really there before.
      const replacement = await routeTable.replace(table, { seen: before.version, entry: auditEntry(intent) });
      if (replacement.outcome === "unknown") return refuse("validation_failed", { errors: faultsOf(routes, replacement.queueIds) });
      if (replacement.outcome === "conflict") continue;
      changed(intent);
      return answer(200, table, { etag: etagOf(replacement.version) });
    }
    return refuse("version_conflict");
  },
});

function faultsOf(routes: readonly Route[], unknownIds: readonly string[]) {
  const isUnknown = new Set(unknownIds);
  return routes.flatMap(({ queueId }, index) =>
    isUnknown.has(queueId) ? [{ field: `routes.${index}.queueId`, message: "is not the id of a queue" }] : [],
  );
}

function changesBetween(before: RouteTableContent, after: RouteTableContent) {
  const [old, current] = [textsOf(before), textsOf(after)];
  return { before: [...old].filter((line) => !current.has(line)), after: [...current].filter((line) => !old.has(line)) };
}

/** As they stand in the log; of a secret it tells that there is one. */
function textsOf({ routes, bypass }: RouteTableContent): ReadonlySet<string> {
  const lines = routes.map(({ host, path, queueId }) => `${host}${path} -> ${queueId}`);
  const rules = bypass.map(({ host, path = "/*", cidrs, header }) =>
    [`${host}${path} -> past the queues`, ...(cidrs ?? []).map((cidr) => `from ${cidr}`), ...(header ? [`with ${header.name}`] : [])].join(
      " ",
    ),
  );
  return new Set([...lines, ...rules]);
}
