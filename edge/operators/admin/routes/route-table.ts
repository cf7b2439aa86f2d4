import type { ScriptRunner } from "../../../../shared/store/define-script.ts";
import { auditKeys, directoryKeys } from "../../../line/keys.ts";
import { parseRouteTable, type RouteTableContent, routeTableText } from "../../../line/route-table-text.ts";
import { readRoutesScript, replaceRoutesScript } from "../scripts.ts";

/**
 * The routes to queues, and the bypass rules. The table is small and is always written completely. Rejects when the
 * store is unavailable.
 */
export type RouteTable = {
  readonly read: () => Promise<RouteTableContent & { readonly version: string }>;
  readonly replace: (table: RouteTableContent, options: Write) => Promise<Replacement>;
  /** Takes every route to this queue out. */
  readonly dropQueue: (queueId: string) => Promise<void>;
};

type Write = {
  /** The queues that must be there. */
  readonly queueIds: readonly string[];
  /** The version that was read, so that no change is overwritten that was not seen. */
  readonly seen: string;
  /** Goes to the audit log in the same write. */
  readonly entry: AuditText;
};

type AuditText = { readonly text: string; readonly keep: number };

export type Replacement =
  | { readonly outcome: "replaced"; readonly version: string }
  | { readonly outcome: "conflict" }
  | { readonly outcome: "unknown"; readonly queueIds: readonly string[] };

/** They go with their queue, whose deletion has its own entry. */
const NO_ENTRY: AuditText = { text: "", keep: 1 };

/** Each lost try is a concurrent change; operators do not make so many at once. */
const TRIES_MAX = 5;

export function openRouteTable(store: ScriptRunner): RouteTable {
  const { routes: routesKey, queues } = directoryKeys;

  async function read() {
    const [text, version] = await readRoutesScript.run(store, { keys: { routes: routesKey }, args: {} });
    return { ...parseRouteTable(text), version };
  }

  function replace(table: RouteTableContent, { queueIds, seen, entry }: Write): Promise<Replacement> {
    const ids = JSON.stringify([...new Set(queueIds)]);
    const args = { table: routeTableText(table), ids, seen, entry: entry.text, keep: entry.keep };
    return replaceRoutesScript.run(store, { keys: { queues, routes: routesKey, audit: auditKeys.log }, args });
  }

  return {
    read,
    replace,
    async dropQueue(queueId) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const { routes, bypass, version } = await read();
        const kept = routes.filter((route) => route.queueId !== queueId);
        if (kept.length === routes.length) return;
        const { outcome } = await replace({ routes: kept, bypass }, { queueIds: [], seen: version, entry: NO_ENTRY });
        if (outcome === "replaced") return;
      }
      throw new Error("the routes changed again and again");
    },
  };
}
