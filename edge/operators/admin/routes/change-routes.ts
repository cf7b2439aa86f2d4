import type { RouteTableContent } from "../../../line/route-table-text.ts";
import type { AuditAction } from "../audit/entry.ts";
import { matchesEtag } from "../etag.ts";
import type { Operator } from "../operator.ts";

type Change = {
  readonly action: AuditAction;
  /** The table as it shall be, from what is there now; or the answer instead, and nothing is written. */
  readonly compute: (before: RouteTableContent & { readonly version: string }) => RouteTableContent | Response;
  /** The queues that must be there for this change. */
  readonly queueIds: readonly string[];
  /** The answer when some of them are not. */
  readonly onUnknown: (queueIds: readonly string[]) => Response;
  readonly onChanged: (table: RouteTableContent, version: string) => Response;
};

/** Each lost try means that another operator's change was written, so that many at once all come through. */
const TRIES_MAX = 20;

/**
 * Every change of the table goes this way: read, compute, and write over the very table that was read, so that no
 * change is lost and the audit log, written by the same script, tells what was really there before. `If-Match` is
 * compared with the table of each try.
 */
export async function changeRoutes(
  { routeTable, header, refuse, auditEntry, changed }: Operator,
  { action, queueIds, compute, onUnknown, onChanged }: Change,
): Promise<Response> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const before = await routeTable.read();
    if (!matchesEtag(header("if-match"), before.version)) return refuse("version_conflict");
    const table = compute(before);
    if (table instanceof Response) return table;
    const intent = { action, queueId: null, ...changesBetween(before, table) };
    const replacement = await routeTable.replace(table, { queueIds, seen: before.version, entry: auditEntry(intent) });
    if (replacement.outcome === "unknown") return onUnknown(replacement.queueIds);
    if (replacement.outcome === "conflict") continue;
    changed(intent);
    return onChanged(table, replacement.version);
  }
  return refuse("version_conflict");
}

function changesBetween(before: RouteTableContent, after: RouteTableContent) {
  const [old, current] = [textsOf(before), textsOf(after)];
  return {
    before: [...old].filter((line) => !current.has(line)),
    after: [...current].filter((line) => !old.has(line)),
  };
}

/** As logged; of a secret only its presence. */
function textsOf({ routes, bypass }: RouteTableContent): ReadonlySet<string> {
  const lines = routes.map(({ host, path, queueId }) => `${host}${path} -> ${queueId}`);
  const rules = bypass.map(({ host, path = "/*", cidrs, header }) =>
    [
      `${host}${path} -> past the queues`,
      ...(cidrs ?? []).map((cidr) => `from ${cidr}`),
      ...(header ? [`with ${header.name}`] : []),
    ].join(" "),
  );
  return new Set([...lines, ...rules]);
}
