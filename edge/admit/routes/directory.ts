import type { Clock } from "../../../shared/clock.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import type { PassScope } from "../../../shared/tokens/admission.ts";
import { openRegistry, type QueueRecord } from "../../line/registry.ts";
import type { Later } from "../../proxy/platform.ts";
import { log } from "../../request/log.ts";
import { createFreshValue, type FreshValue } from "../outage/fresh-value.ts";
import type { GuardedStore } from "../outage/outage.ts";
import { type BypassRules, createBypassRules } from "./bypass-rules.ts";
import { createPassScopes, type PassScopes } from "./pass-scope.ts";
import { createRouteTable, type RouteTable } from "./route-table.ts";

/**
 * The operators' routes and queues as this isolate knows them: at most 2 s old, read after the response while there is
 * traffic, by one request for all. While the store is unavailable or slow, the last known value is used; "unknown" if
 * nothing was ever read. A request waits no longer than `withinMs`.
 *
 * An empty store counts as unavailable: protected addresses stay protected, by the routes and settings known here,
 * until an operator writes a table again. Only a table that an operator wrote can be empty.
 */
export type Directory = {
  readonly routes: (later: Later, withinMs?: number) => Known<Routes>;
  /** Only names that operators have set up are ever asked for, so that invented ones cost nothing. */
  readonly queue: (queueId: QueueId, later: Later, withinMs?: number) => Known<QueueRecord | "missing">;
  /** The scope to write on passes of this queue; see `PassScope`. Never waits. */
  readonly scopeOf: (queueId: QueueId) => PassScope | undefined;
  /** An operator changed something through this isolate: the next request reads it again. */
  readonly expire: () => void;
};

/** At once wherever it is young enough. */
export type Known<Value> = Value | "unknown" | Promise<Value | "unknown">;

const REFRESH_AFTER_MS = 1_000;
const STALE_AFTER_MS = 1_900;
/** More than operators may set up; it is only reached by queues that come and go. */
const QUEUES_MAX = 2_000;

/** `bypass` is undefined where there are no rules, as nearly everywhere. */
type Routes = RouteTable & { readonly bypass: BypassRules | undefined };

type Setup = {
  /** Undefined while no table was ever seen. */
  readonly table: (Routes & { readonly scopes: PassScopes }) | undefined;
  readonly queueIds: ReadonlySet<string>;
  /** There was a table, and the store has none any more. */
  readonly isLost: boolean;
};

export function createDirectory(store: GuardedStore, clock: Clock): Directory {
  const registry = openRegistry(store.once);
  const { patience, silence } = store;
  const ages = { clock, refreshAfterMs: REFRESH_AFTER_MS, staleAfterMs: STALE_AFTER_MS, patience, silence };
  const setup = createFreshValue<Setup>({
    ...ages,
    load: async (known) => {
      const { routes, bypass, queueIds, hasTable } = await registry.readDirectory();
      if (!hasTable) return withoutTable(known, queueIds);
      const table = {
        ...createRouteTable(routes),
        bypass: createBypassRules(bypass),
        scopes: createPassScopes(routes),
      };
      return { table, queueIds: new Set(queueIds), isLost: false };
    },
    onFailure: (error) => log("warn", "cannot read the routes", { error }),
  });
  const queues = new Map<QueueId, FreshValue<QueueRecord | "missing">>();

  function queueOf(queueId: QueueId): FreshValue<QueueRecord | "missing"> {
    const known = queues.get(queueId);
    if (known !== undefined) return known;
    const queue = createFreshValue<QueueRecord | "missing">({
      ...ages,
      load: async () => (await registry.readQueue(queueId)) ?? (await missingOrLost()),
      onFailure: (error) => log("warn", "cannot read a queue", { queueId, error }),
    });
    if (queues.size >= QUEUES_MAX) queues.clear();
    queues.set(queueId, queue);
    return queue;
  }

  /** An operator has deleted it, or everything is gone: then what is known of it stays. */
  async function missingOrLost(): Promise<"missing"> {
    const { hasTable } = await registry.readDirectory();
    if (!hasTable && setup.known()?.table !== undefined) throw new Error("the store has lost what was set up");
    return "missing";
  }

  function queueIn(
    known: Setup | undefined,
    queueId: QueueId,
    later: Later,
    withinMs: number | undefined,
  ): Known<QueueRecord | "missing"> {
    if (known === undefined || isEmpty(known)) return "unknown";
    if (known.queueIds.has(queueId)) return orUnknown(queueOf(queueId).get(later, withinMs));
    // While the store is unavailable, a new queue may be unknown here: "missing" would be final.
    return setup.isCurrent() ? "missing" : "unknown";
  }

  return {
    routes(later, withinMs) {
      const known = setup.get(later, withinMs);
      return known instanceof Promise ? known.then(tableOf) : tableOf(known);
    },
    queue(queueId, later, withinMs) {
      const known = setup.get(later, withinMs);
      if (!(known instanceof Promise)) return queueIn(known, queueId, later, withinMs);
      const askedAtMs = clock.nowMs();
      const leftMs = () => withinMs && withinMs - Math.max(0, clock.nowMs() - askedAtMs);
      return known.then((read) => queueIn(read, queueId, later, leftMs()));
    },
    scopeOf: (queueId) => setup.known()?.table?.scopes(queueId),
    expire: () => {
      setup.expire();
      for (const queue of queues.values()) queue.expire();
    },
  };
}

/** Known routes stay; queues that an operator creates again are added. */
function withoutTable(known: Setup | undefined, queueIds: readonly string[]): Setup {
  if (known?.table === undefined) return { table: undefined, queueIds: new Set(queueIds), isLost: false };
  if (!known.isLost)
    log(
      "error",
      "the store has lost routes and queues: the last known routes apply until an operator writes them again",
    );
  return { table: known.table, queueIds: new Set([...known.queueIds, ...queueIds]), isLost: true };
}

/** This isolate knows neither routes nor queues: the gate is new, or the store has lost everything. */
function isEmpty({ table, queueIds }: Setup): boolean {
  return table === undefined && queueIds.size === 0;
}

function tableOf(known: Setup | undefined): Routes | "unknown" {
  return known?.table ?? "unknown";
}

/** Stays synchronous where it can: a promise on the way of every admitted request has its price. */
function orUnknown<Value extends object | string>(value: Value | undefined | Promise<Value | undefined>): Known<Value> {
  return value instanceof Promise ? value.then((known) => known ?? ("unknown" as const)) : (value ?? "unknown");
}
