import type { Clock } from "../../shared/clock.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { log } from "../log.ts";
import { openRegistry, type QueueRecord } from "../queue/registry.ts";
import { createFreshValue, type FreshValue } from "./fresh-value.ts";
import type { Later } from "./later.ts";
import type { GuardedStore } from "./outage.ts";
import { createRouteTable, type RouteTable } from "./route-table.ts";

/**
 * What operators have set up, as this isolate knows it: at most 2 s old, read after the answer while there is traffic, by
 * one request for all. With the store away the last known goes on being used; "unknown" when nothing was ever read.
 */
export type Directory = {
  readonly routes: (later: Later) => Known<RouteTable>;
  /** Only names that operators have set up are ever asked for, so that invented ones cost nothing. */
  readonly queue: (queueId: QueueId, later: Later) => Known<QueueRecord | "missing">;
  /** An operator changed something through this isolate: the next request reads it again. */
  readonly expire: () => void;
};

/** At once wherever it is young enough. */
export type Known<Value> = Value | "unknown" | Promise<Value | "unknown">;

const REFRESH_AFTER_MS = 1_000;
const STALE_AFTER_MS = 1_900;
/** More than operators may set up; it is only reached by queues that come and go. */
const QUEUES_MAX = 2_000;

type Setup = RouteTable & { readonly queueIds: ReadonlySet<string> };

export function createDirectory(store: GuardedStore, clock: Clock): Directory {
  const registry = openRegistry(store.once);
  const ages = { clock, refreshAfterMs: REFRESH_AFTER_MS, staleAfterMs: STALE_AFTER_MS };
  const setup = createFreshValue<Setup>({
    ...ages,
    load: async () => {
      const { routes, queueIds } = await registry.readDirectory();
      return { ...createRouteTable(routes), queueIds: new Set(queueIds) };
    },
    onFailure: (error) => log("warn", "the routes could not be read", { error }),
  });
  const queues = new Map<QueueId, FreshValue<QueueRecord | "missing">>();

  function queueOf(queueId: QueueId): FreshValue<QueueRecord | "missing"> {
    const known = queues.get(queueId);
    if (known !== undefined) return known;
    const queue = createFreshValue<QueueRecord | "missing">({
      ...ages,
      load: async () => (await registry.readQueue(queueId)) ?? "missing",
      onFailure: (error) => log("warn", "a queue could not be read", { queueId, error }),
    });
    if (queues.size >= QUEUES_MAX) queues.clear();
    queues.set(queueId, queue);
    return queue;
  }

  function queueIn(known: Setup | undefined, queueId: QueueId, later: Later): Known<QueueRecord | "missing"> {
    if (known === undefined) return "unknown";
    return known.queueIds.has(queueId) ? orUnknown(queueOf(queueId).get(later)) : "missing";
  }

  return {
    routes: (later) => orUnknown(setup.get(later)),
    queue(queueId, later) {
      const known = setup.get(later);
      return known instanceof Promise ? known.then((read) => queueIn(read, queueId, later)) : queueIn(known, queueId, later);
    },
    expire: () => {
      setup.expire();
      for (const queue of queues.values()) queue.expire();
    },
  };
}

/** Stays synchronous where it can: a promise on the way of every admitted request has its price. */
function orUnknown<Value extends object | string>(value: Value | undefined | Promise<Value | undefined>): Known<Value> {
  return value instanceof Promise ? value.then((known) => known ?? ("unknown" as const)) : (value ?? "unknown");
}
