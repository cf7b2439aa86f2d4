import { z } from "zod";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { directoryKeys } from "../queue/keys.ts";
import { type Route, routeSchema } from "../queue/registry.ts";
import { readRoutesScript, replaceRoutesScript } from "./scripts.ts";

/** Which addresses lead to which queue. The table is small and is always written as a whole. Rejects when the store is away. */
export type RouteTable = {
  readonly read: () => Promise<{ readonly routes: readonly Route[]; readonly version: string }>;
  /** `seen`: the version that was read, so that nobody overwrites what he has not seen. */
  readonly replace: (routes: readonly Route[], options?: { readonly seen?: string | undefined }) => Promise<Replacement>;
  /** Takes every route to this queue out. */
  readonly dropQueue: (queueId: string) => Promise<void>;
};

export type Replacement =
  | { readonly outcome: "replaced"; readonly version: string }
  | { readonly outcome: "conflict" }
  | { readonly outcome: "unknown"; readonly queueIds: readonly string[] };

/** Somebody else wins each lost try; so many at once do not happen by hand. */
const TRIES_MAX = 5;

export function openRouteTable(store: ScriptRunner): RouteTable {
  const { routes: routesKey, queues } = directoryKeys;

  async function read() {
    const [text, version] = await readRoutesScript.run(store, { keys: { routes: routesKey }, args: {} });
    return { routes: text === "" ? [] : z.array(routeSchema).parse(JSON.parse(text)), version };
  }

  function write(routes: readonly Route[], { ids, seen }: { ids: readonly string[]; seen: string }): Promise<Replacement> {
    const args = { table: JSON.stringify(routes), ids: JSON.stringify(ids), seen };
    return replaceRoutesScript.run(store, { keys: { queues, routes: routesKey }, args });
  }

  return {
    read,
    replace: (routes, { seen = "" } = {}) => write(routes, { ids: [...new Set(routes.map(({ queueId }) => queueId))], seen }),
    async dropQueue(queueId) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const { routes, version } = await read();
        const kept = routes.filter((route) => route.queueId !== queueId);
        if (kept.length === routes.length) return;
        const { outcome } = await write(kept, { ids: [], seen: version });
        if (outcome === "replaced") return;
      }
      throw new Error("the routes changed again and again");
    },
  };
}
