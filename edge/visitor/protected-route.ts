import type { Context } from "hono";
import { PASS_HEADER, type Pass } from "../../shared/admission.ts";
import { assert, unreachable } from "../../shared/assert.ts";
import { problemResponse } from "../../shared/errors.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { EdgeEnvironment } from "../env.ts";
import { type Decision, decide, type GateFacts } from "../gate/decide.ts";
import type { Known } from "../gate/directory.ts";
import type { Later } from "../gate/later.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, gateOfIsolate, guardedQueue } from "../gate/open-gate.ts";
import { type HeldPass, type HeldTicket, type Presented, presentedPass, presentedTicket } from "../gate/presented.ts";
import { beat, enter, type Turn } from "../gate/turn.ts";
import { log } from "../log.ts";
import type { Platform } from "../platform.ts";
import { readVisit, type Visit } from "../proxy/read-visit.ts";
import type { QueueRecord } from "../queue/registry.ts";
import { forwardAdmitted } from "./forward-admitted.ts";
import { refusalResponse } from "./refusal.ts";
import { createVisitorCookies, type VisitorCookies } from "./visitor-cookies.ts";
import { waitingResponse } from "./waiting-response.ts";
import { wantsOf } from "./wants.ts";

/**
 * Any URL that is not ours. With a valid pass it is forwarded without asking the store; without one the visitor joins or polls
 * in one round trip, and is forwarded, shown the line, or refused. One handler without middleware: Hono then adds next to nothing.
 */
export function protectedRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const visit = readVisit(c.req.raw, c.env);
    if (!visit.ok) return visit.reason;
    c.set("visit", visit.value);
    const { configuration, requestId } = visit.value;
    const gate = await gateOfIsolate(configuration);
    if (!gate.ok) {
      log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId, faults: gate.reason });
      return problemResponse("internal_error", { requestId });
    }
    return meet({ c, gate: gate.value, visit: visit.value, platform, later: (work) => platform.later(c, work) });
  };
}

type Meeting = {
  readonly c: Context<EdgeEnvironment>;
  readonly gate: Gate;
  readonly visit: Visit;
  readonly platform: Platform;
  readonly later: Later;
};

async function meet(meeting: Meeting): Promise<Response> {
  const { gate, visit, platform, later, c } = meeting;
  const store = gate.store.forVisit();
  const routes = await gate.directory.routes(later);
  const route = routes === "unknown" ? undefined : routes.find(visit.target);
  if (routes !== "unknown" && route === undefined) return platform.forward(visit);
  const queueId = route?.queueId as QueueId | undefined;
  const record = queueId === undefined ? "unknown" : await recordOf(meeting, queueId);
  if (queueId === undefined || record === "unknown" || record === "missing") {
    const decision = decide({ ...NOTHING, queue: record === "missing" ? "missing" : "unknown", wants: wantsOf(c) });
    assert(decision.kind === "refuse", "without a queue nobody is let through");
    return refusalResponse({ ...decision, wants: wantsOf(c), requestId: visit.requestId });
  }
  return atQueue(meeting, guardedQueue(gate, { queueId, settings: record.settings, store, later }));
}

/** An isolate that has never heard the store's time hears it first, in the same moment. */
function recordOf({ gate, later }: Meeting, queueId: QueueId): Known<QueueRecord | "missing"> {
  const record = gate.directory.queue(queueId, later);
  return gate.clock.isHeard()
    ? record
    : gate
        .memoryOf(queueId)
        .revocations.prepare(later)
        .then(() => record);
}

const NOTHING = { pass: "none", ticket: "none", turn: "unasked" } as const;

async function atQueue(meeting: Meeting, queue: GuardedQueue): Promise<Response> {
  const { visit, later } = meeting;
  queue.sweeps.now(() => backgroundLineOf(queue), later);
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const pass = await presentedPass(visit, reading);
  const check = { mode: queue.settings.revocationCheck, later, store: queue.store };
  const isRevoked = pass.state === "valid" && (await queue.revocations.isRevoked(pass.held.pass, check));
  // Most requests end here, and need neither a cookie of ours nor the client's wishes.
  if (pass.state === "valid" && !isRevoked) return withPass(meeting, queue, pass);
  const ticket = await presentedTicket(visit, reading);
  const facts = {
    queue: queue.settings,
    wants: wantsOf(meeting.c),
    pass: isRevoked ? "revoked" : pass.state,
    ticket: ticket.state,
  } as const;
  const cookies = createVisitorCookies(visit, queue);
  if (facts.pass !== "none") cookies.clear("pass");
  if (facts.ticket === "invalid") cookies.clear("ticket");
  const { decision, turn } = await settle(meeting, queue, facts, ticket);
  return cookies.putOn(await carryOut({ ...meeting, queue, facts, cookies, turn }, decision));
}

/** Rule 2 of the gate, spelled out where it costs least; `decide` says the same. */
function withPass(
  meeting: Meeting,
  queue: GuardedQueue,
  { held, by }: Extract<Presented<HeldPass>, { state: "valid" }>,
): Promise<Response> {
  // Our own token is for us; what the application gets is the header that only we can set.
  if (by === "bearer") meeting.visit.headers.delete("authorization");
  return forwardAdmitted(meeting, queue, held);
}

type Settled = { readonly decision: Exclude<Decision, { kind: "ask" }>; readonly turn: Turn | undefined };

/** A poll with a ticket that was used up is followed by a join, and that is the most. */
const QUESTIONS_MAX = 2;

async function settle(
  { visit }: Meeting,
  queue: GuardedQueue,
  facts: Omit<GateFacts, "turn">,
  ticket: Presented<HeldTicket>,
): Promise<Settled> {
  const address = visit.headers.get("x-forwarded-for") ?? undefined;
  let turn: Turn | undefined;
  for (let questions = 0; questions <= QUESTIONS_MAX; questions++) {
    const decision = decide({ ...facts, turn: turn?.state ?? "unasked" });
    if (decision.kind !== "ask") return { decision, turn };
    turn = decision.verb === "beat" && ticket.state === "valid" ? await beat(queue, ticket.held, address) : await enter(queue, address);
  }
  return { decision: { kind: "refuse", code: "store_unavailable" }, turn };
}

type Outcome = Meeting & {
  readonly queue: GuardedQueue;
  readonly facts: Omit<GateFacts, "turn">;
  readonly cookies: VisitorCookies;
  readonly turn: Turn | undefined;
};

function carryOut(outcome: Outcome, decision: Settled["decision"]): Response | Promise<Response> {
  const { visit, queue, facts, turn, cookies } = outcome;
  switch (decision.kind) {
    case "forward":
      return decision.pass === "new" ? asNewcomer(outcome) : withOpenPass(outcome);
    case "wait":
      assert(turn?.state === "waiting", "only who waits is told so");
      cookies.setTicket(turn.issued);
      return waitingResponse({ queue, turn, as: decision.as, visit });
    case "refuse":
      return refusalResponse({ code: decision.code, wants: facts.wants, requestId: visit.requestId, turn });
    default:
      return unreachable(decision);
  }
}

/** Admitted in this very request: it goes on with the new pass, and the pass goes home with the answer. */
async function asNewcomer(outcome: Outcome): Promise<Response> {
  const { queue, turn, cookies } = outcome;
  assert(turn?.state === "admitted", "only who was admitted goes in");
  cookies.setPass(turn.pass);
  const { token, sessionId } = turn.pass;
  const read = await queue.gate.tokens.readPass(token, { queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() });
  assert(read.ok, "the gate reads what it has signed");
  const pass: Pass = read.value;
  assert(pass.sessionId === sessionId, "a pass is of its session");
  return forwardAdmitted(outcome, queue, { token, pass }, cookies);
}

async function withOpenPass({ queue: { gate, queueId }, visit, platform }: Outcome): Promise<Response> {
  visit.headers.set(PASS_HEADER, await gate.openPasses({ queueId, nowMs: gate.clock.nowMs() }));
  return platform.forward(visit);
}
