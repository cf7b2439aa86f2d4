import { type ExecutionContext, Hono } from "hono";
import { problemResponse } from "../shared/http/errors.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { drawRoute } from "./admit/doors/draw-route.ts";
import { enterDoor } from "./admit/doors/enter-door.ts";
import { heartbeatDoor } from "./admit/doors/heartbeat-door.ts";
import { jwksRoute } from "./admit/doors/jwks-route.ts";
import { leaveOnCloseRoute } from "./admit/doors/leave-on-close.ts";
import { leaveRoute } from "./admit/doors/leave-route.ts";
import { notFound } from "./admit/doors/not-found.ts";
import type { OwnCall } from "./admit/doors/queue-of-route.ts";
import { queueRoute } from "./admit/doors/queue-route.ts";
import { urlDoor } from "./admit/doors/url-door.ts";
import { adminRoutes } from "./operators/admin/admin-routes.ts";
import { openApiRoute } from "./operators/admin/openapi/openapi-document.ts";
import { consoleRoutes } from "./operators/console/console-routes.ts";
import { healthRoute } from "./operators/health/health-route.ts";
import { type AnswerCounts, metricsRoute } from "./operators/metrics/metrics-route.ts";
import type { Platform } from "./proxy/platform.ts";
import type { EdgeBindings, EdgeEnvironment } from "./request/env.ts";
import { log } from "./request/log.ts";
import { ownRoute, readVisit, routePath, type Visit } from "./request/read-visit.ts";

export type App = {
  readonly fetch: (request: Request, bindings: EdgeBindings, context: ExecutionContext) => Promise<Response>;
  /** The gate's own, for its documentation. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
};

/**
 * The gate, in the order in which a request meets it. Paths are those that were normalised once, so that the gate and
 * the origin never mean different addresses. A path that does not normalise leads to the last door, where it is refused.
 *
 * The three doors that a crowd uses (a protected URL, `enter`, `heartbeat`) are called directly; everything rare is a
 * route of Hono.
 */
export function createApp(platform: Platform): App {
  const answers: AnswerCounts = { own: new Map(), protected: new Map() };
  const rare = rareRoutes(answers);

  async function fetch(request: Request, bindings: EdgeBindings, context: ExecutionContext): Promise<Response> {
    const path = routePath(request);
    const isOwn = path.startsWith(OWN) && (path.length === OWN.length || path[OWN.length] === "/");
    const door = isOwn ? ownDoor(request.method, path) : undefined;
    const response =
      isOwn && door === undefined
        ? await rare.fetch(request, bindings, context)
        : await throughDoor(request, bindings, context, door);
    const counts = isOwn ? answers.own : answers.protected;
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    return response;
  }

  async function throughDoor(
    request: Request,
    bindings: EdgeBindings,
    context: ExecutionContext,
    door: FoundDoor | undefined,
  ): Promise<Response> {
    let visit: Visit | undefined;
    try {
      const read = readVisit(request, bindings);
      if (!read.ok) return read.reason;
      visit = read.value;
      const later = (work: Promise<unknown>) => context.waitUntil(work);
      if (door === undefined) return await urlDoor({ visit, platform, later });
      const response = await door.open({ visit, later, queueText: door.queueText });
      response.headers.set("x-request-id", visit.requestId);
      return response;
    } catch (error) {
      return failed(error, visit);
    }
  }

  const doors = [...OWN_DOORS.keys()].map((name) => ({ method: "POST", path: `${QUEUES}:id/${name}` }));
  return { fetch, routes: [...doors, ...rare.routes] };
}

const OWN = "/_sluice";
const QUEUES = `${OWN}/queues/`;

type FoundDoor = { readonly open: (call: OwnCall) => Promise<Response>; readonly queueText: string };

/** `POST /_sluice/queues/{id}/enter` and `.../heartbeat`. */
function ownDoor(method: string, path: string): FoundDoor | undefined {
  if (method !== "POST" || !path.startsWith(QUEUES)) return undefined;
  const end = path.indexOf("/", QUEUES.length);
  const open = OWN_DOORS.get(path.slice(end + 1));
  return end === -1 || open === undefined ? undefined : { open, queueText: path.slice(QUEUES.length, end) };
}

const OWN_DOORS: ReadonlyMap<string, FoundDoor["open"]> = new Map([
  ["enter", enterDoor],
  ["heartbeat", heartbeatDoor],
]);

function rareRoutes(answers: AnswerCounts): Hono<EdgeEnvironment> {
  const routes = new Hono<EdgeEnvironment>({ getPath: routePath });
  routes.use("/_sluice/*", ownRoute);
  routes.get("/_sluice/health", healthRoute());
  routes.get("/_sluice/metrics", metricsRoute(answers));
  routes.get("/_sluice/jwks.json", jwksRoute);
  routes.get("/_sluice/openapi.json", openApiRoute);
  routes.get("/_sluice/queues/:id", queueRoute);
  routes.get("/_sluice/queues/:id/draw", drawRoute);
  routes.get("/_sluice/queues/:id/leave-on-close.js", leaveOnCloseRoute);
  routes.post("/_sluice/queues/:id/leave", leaveRoute);
  routes.route("/_sluice/admin", adminRoutes());
  routes.route("/_sluice/console", consoleRoutes());
  routes.all("/_sluice/*", notFound);
  routes.onError((error, c) => failed(error, c.var.visit));
  return routes;
}

/** An unexpected error ends the request here: it is never forwarded. */
function failed(error: unknown, visit: Visit | undefined): Response {
  const requestId = visit?.requestId ?? newId(systemRandom);
  log("error", "a request failed inside the edge", { requestId, error });
  return problemResponse("internal_error", { requestId });
}
