import { problemResponse } from "../../../shared/http/errors.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import type { QueueRecord } from "../../line/registry.ts";
import type { Later, Platform } from "../../proxy/platform.ts";
import { hasStrandedBody, type Visit } from "../../request/read-visit.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, gateOf, guardedQueue } from "../open-gate.ts";
import type { VisitStore } from "../outage/outage.ts";
import { type HeldPass, type Presented, passForTarget, presentedPass } from "../presented.ts";
import type { Arrival, BypassRules } from "../routes/bypass-rules.ts";
import type { Known } from "../routes/directory.ts";
import type { FoundRoute, RouteTable } from "../routes/route-table.ts";
import { wantsOf } from "../wants.ts";
import { forwardAdmitted, forwardOpen } from "./forward-admitted.ts";
import { atMissingQueue, atUnknownQueue } from "./unknown-queue.ts";
import { cleanRedirect, withoutPass } from "./without-pass.ts";

/**
 * Any URL that is not ours. With a valid pass it is forwarded without asking the store; without one the visitor joins
 * or polls in one round trip, and is forwarded, shown the line, or refused.
 */
export async function urlDoor(call: UrlCall): Promise<Response> {
  const opened = gateOf(call.visit);
  const gate = opened instanceof Promise ? await opened : opened;
  return gate.ok ? meet({ ...call, gate: gate.value }) : gate.reason;
}

type UrlCall = { readonly visit: Visit; readonly platform: Platform; readonly later: Later };

export type Meeting = UrlCall & {
  readonly gate: Gate;
  /** The invite that the URL brought along; the visit is already without it. */
  readonly invite?: string;
};

/** With a valid pass, values that are known at once are not awaited: each await costs a turn of the microtask queue. */
async function meet(meeting: Meeting): Promise<Response> {
  const { gate, visit, platform, later } = meeting;
  const { tokens, clock } = gate;
  const store = gate.store.forVisit();
  const known = gate.directory.routes(later, store.remainingMs());
  const routes = known instanceof Promise ? await known : known;
  if (routes === "unknown")
    return atUnknownQueue(meeting, await passForTarget(visit, { tokens, nowMs: clock.nowMs() }));
  const route = routes.find(visit.target);
  const { bypass } = routes;
  for (const name of bypass?.headerNames ?? []) visit.headers.delete(name);
  if (route === undefined) return isMisdirected(visit, routes) ? hostRefused(visit) : platform.forward(visit);
  const brought = takeInvite(visit);
  if (brought !== undefined)
    return meetInvited({ ...meeting, visit: brought.visit, invite: brought.text }, { route, bypass, store });
  return await goThrough(meeting, { route, bypass, store });
}

/** Named as it is written in a link. */
const PARAMETER = "sluice-invite=";

/**
 * The invite on a protected URL, and the visit without it: the origin, its logs and the address bar never see it.
 * Undefined where there is none, as nearly always. Two different ones are none that can be used.
 */
function takeInvite(visit: Visit): { readonly text: string; readonly visit: Visit } | undefined {
  const { target } = visit;
  if (!target.query.includes(PARAMETER)) return undefined;
  const pairs = target.query.slice(1).split("&");
  const texts = new Set(pairs.filter((pair) => pair.startsWith(PARAMETER)).map((pair) => pair.slice(PARAMETER.length)));
  if (texts.size === 0) return undefined;
  const kept = pairs.filter((pair) => !pair.startsWith(PARAMETER)).join("&");
  const [text = ""] = texts.size === 1 ? texts : [];
  return { text, visit: { ...visit, target: { ...target, query: kept === "" ? "" : `?${kept}`, isAsSent: false } } };
}

type Way = { readonly route: FoundRoute; readonly bypass: BypassRules | undefined; readonly store: VisitStore };
/**
 * Whether a request may be on its way to a protected address under another name. The origin serves every name alike,
 * unless it looks, so a host that no route names is refused as long as any route names one;
 * `SLUICE_UNKNOWN_HOSTS=forward` is for gates with unprotected hosts.
 */
function isMisdirected({ target, configuration }: Visit, routes: RouteTable): boolean {
  const host = routes.hostOf(target);
  return host === "nameless" || (host === "unknown" && !configuration.forwardsUnknownHosts);
}

/** RFC 9110, 15.5.20. */
function hostRefused({ requestId }: Visit): Response {
  return problemResponse("host_unknown", { requestId });
}

/** The request that came in names the invite, so it is not the one that goes to the origin. */
function meetInvited(meeting: Meeting, way: Way): Response | Promise<Response> {
  const isStranded = hasStrandedBody(meeting.visit, { goesElsewhere: true });
  return isStranded
    ? problemResponse("request_ambiguous", { requestId: meeting.visit.requestId })
    : goThrough(meeting, way);
}

async function goThrough(meeting: Meeting, { route, bypass, store }: Way): Promise<Response> {
  const { gate, visit, later } = meeting;
  const { tokens, clock } = gate;
  const queueId = route.queueId as QueueId;
  // Before the queue is looked up: a bypass rule also applies while the queue is closed or the store is unavailable;
  // `decide` says the same.
  if (bypass !== undefined && (await bypass.fits(arrivalOf(visit, route)))) return pastQueue(meeting, queueId, store);
  const known = recordOf(meeting, queueId, store.remainingMs());
  const record = known instanceof Promise ? await known : known;
  if (record === "missing") return atMissingQueue(meeting);
  if (record === "unknown")
    return atUnknownQueue(meeting, await presentedPass(visit, { tokens, queueId, nowMs: clock.nowMs() }));
  return await atQueue(
    meeting,
    guardedQueue(gate, { queueId, record, store, later, clientAddress: visit.clientAddress }),
  );
}

/** An isolate that has never heard the store's time hears it first, in the same moment. */
function recordOf({ gate, later }: Meeting, queueId: QueueId, withinMs: number): Known<QueueRecord | "missing"> {
  const record = gate.directory.queue(queueId, later, withinMs);
  return gate.clock.isHeard()
    ? record
    : gate
        .memoryOf(queueId)
        .revocations.prepare(later, withinMs)
        .then(() => record);
}

function arrivalOf({ target, request, clientAddress: address }: Visit, { pathRank }: FoundRoute): Arrival {
  // From the request itself: the secrets of bypass rules are removed from the headers that are forwarded.
  return {
    site: target.site,
    path: target.path,
    address,
    header: (name) => request.headers.get(name),
    routePathRank: pathRank,
  };
}

async function atQueue(meeting: Meeting, queue: GuardedQueue): Promise<Response> {
  const { visit, later } = meeting;
  queue.sweeps.now(() => backgroundLineOf(queue), later);
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const shown = presentedPass(visit, reading);
  const pass = shown instanceof Promise ? await shown : shown;
  const check = { mode: queue.settings.revocationCheck, later, store: queue.store };
  const revoked = pass.state === "valid" && queue.revocations.isRevoked(pass.held.pass, check);
  const isRevoked = revoked instanceof Promise ? await revoked : revoked;
  // Most requests end here, and need neither our cookies nor the Accept header.
  if (pass.state === "valid" && !isRevoked) return await withPass(meeting, queue, pass);
  return await withoutPass(meeting, queue, { pass, isRevoked });
}

/** Rule 2 of the gate, spelled out where it costs least; `decide` says the same. */
function withPass(
  meeting: Meeting,
  queue: GuardedQueue,
  { held, by }: Extract<Presented<HeldPass>, { state: "valid" }>,
): Promise<Response> {
  // Our own token is for us; what the application gets is the header that only we can set.
  if (by === "bearer") meeting.visit.headers.delete("authorization");
  if (meeting.invite !== undefined && wantsOf(meeting.visit.request) === "page")
    return Promise.resolve(cleanRedirect(meeting.visit));
  return forwardAdmitted(meeting, queue, held);
}

/** Past the queue, but to where the queue leads; a queue that is not there leads to the gate's own origin. */
async function pastQueue(meeting: Meeting, queueId: QueueId, store: VisitStore): Promise<Response> {
  const record = await meeting.gate.directory.queue(queueId, meeting.later, store.remainingMs());
  if (record === "unknown") return atUnknownQueue(meeting, { state: "none" });
  return forwardOpen(meeting, { queueId, targetUrl: record === "missing" ? null : record.settings.targetUrl });
}
