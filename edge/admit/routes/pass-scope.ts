import type { QueueId } from "../../../shared/queue-id.ts";
import { type Pass, type PassScope, SCOPE_BYTES_MAX } from "../../../shared/tokens/admission.ts";
import type { Route } from "../../line/route.ts";
import { createRouteTable, plainPattern, type RouteTable, routesBySpecificity } from "./route-table.ts";

/**
 * Where each queue's passes hold, for an edge that will know no routes. Asked about any address, a scope gives the same
 * answer as the whole table does for this queue: it has all routes to the queue, and of the others those that could
 * come first. Undefined for a queue without routes, and where the routes are too many to travel with every request.
 */
export type PassScopes = (queueId: QueueId) => PassScope | undefined;

export function createPassScopes(routes: readonly Route[]): PassScopes {
  const outlines = routesBySpecificity(routes).map(outlineOf);
  const known = new Map<QueueId, PassScope | undefined>();
  return (queueId) => {
    if (!known.has(queueId)) known.set(queueId, scopeOf(outlines, queueId));
    return known.get(queueId);
  };
}

const OTHERS = "!";

function scopeOf(outlines: readonly Outline[], queueId: QueueId): PassScope | undefined {
  const isOwn = ({ route }: Outline) => route.queueId === queueId;
  const own = outlines.filter(isOwn);
  if (own.length === 0 || !fits(own.map(patternOf))) return undefined;
  const scope: string[] = [];
  let ownTold = 0;
  for (const outline of outlines) {
    if (isOwn(outline)) {
      ownTold++;
      scope.push(patternOf(outline));
    } else if (own.slice(ownTold).some((later) => mayMeet(outline, later))) scope.push(OTHERS + patternOf(outline));
  }
  return fits(scope) ? scope : undefined;
}

function fits(scope: PassScope): boolean {
  return new TextEncoder().encode(JSON.stringify(scope)).length <= SCOPE_BYTES_MAX;
}

/** A route, and how the addresses that it covers end and begin at the least. */
type Outline = { readonly route: Route; readonly hostEnd: string; readonly pathStart: string };

function outlineOf(route: Route): Outline {
  return {
    route,
    hostEnd: plainPattern(route.host).replace(/^\*/, "").replace(/:\d+$/, ""),
    pathStart: pathStartOf(route.path),
  };
}

/** Letters of which several mean one are for the table to compare: here such a path may begin with anything. */
function pathStartOf(path: string): string {
  return PLAIN.test(path) ? path.toLowerCase().replace(/\/?\*?$/, "") : "";
}

const PLAIN = /^[\x21-\x24\x26-\x3A\x3C-\x7E]*$/;

function patternOf({ route: { host, path } }: Outline): string {
  return host + path;
}

/** False only where no address can match both. */
function mayMeet(a: Outline, b: Outline): boolean {
  const hostsMeet = a.hostEnd.endsWith(b.hostEnd) || b.hostEnd.endsWith(a.hostEnd);
  return hostsMeet && (a.pathStart.startsWith(b.pathStart) || b.pathStart.startsWith(a.pathStart));
}

const tables = new WeakMap<PassScope, RouteTable>();

/** Whether a pass says of itself that it is good at this address. */
export function leadsTo({ scope }: Pass, target: { readonly site: string; readonly path: string }): boolean {
  if (scope === undefined) return false;
  const table = tables.get(scope) ?? createRouteTable(scope.map(toRoute));
  tables.set(scope, table);
  return table.find(target)?.queueId === OWN;
}

/** In a scope there are only two queues: the pass's own, and whatever else. */
const OWN = "own";

function toRoute(pattern: string): Route {
  const isOther = pattern.startsWith(OTHERS);
  const address = isOther ? pattern.slice(OTHERS.length) : pattern;
  const pathStart = address.indexOf("/");
  return { host: address.slice(0, pathStart), path: address.slice(pathStart), queueId: isOther ? "other" : OWN };
}
