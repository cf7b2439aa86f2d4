import { fail, ok, type Result } from "../../shared/result.ts";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { type HeldPass, type HeldTicket, type Presented, type PresentedPass, presentedPass, presentedTicket } from "../gate/presented.ts";
import { log } from "../log.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { createVisitorCookies } from "./visitor-cookies.ts";

/** What a client of our own routes shows. A pass that was revoked is told apart: its holder may know. */
export type ShownTokens = {
  readonly ticket: HeldTicket | undefined;
  readonly pass: HeldPass | undefined;
  readonly isRevoked: boolean;
  /** Of the time when the queue was open, which it may still be: good for nothing else. */
  readonly slotless: HeldPass | undefined;
};

/**
 * On our own routes a token that does not hold is answered with 401, always the same, and its cookie is taken away so that the next try
 * can begin anew. A ticket that holds is enough: a pass beside it may have run out.
 */
export async function shownTokens(visit: Visit, queue: GuardedQueue): Promise<Result<ShownTokens, Response>> {
  if (!visit.headers.has("cookie") && !visit.headers.has("authorization")) return NOTHING_SHOWN;
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const [ticket, pass] = await Promise.all([presentedTicket(visit, reading), presentedPass(visit, reading)]);
  const isForeign = isForeignBearer(visit, ticket, pass);
  if (isForeign || ticket.state === "invalid" || (pass.state === "invalid" && ticket.state !== "valid")) {
    return fail(refused(visit, queue, [ticket, pass]));
  }
  const held = pass.state === "valid" ? pass.held : undefined;
  const check = { mode: queue.settings.revocationCheck, later: queue.later, store: queue.store };
  const isRevoked = held !== undefined && (await queue.revocations.isRevoked(held.pass, check));
  const slotless = pass.state === "slotless" ? pass.held : undefined;
  return ok({ ticket: ticket.state === "valid" ? ticket.held : undefined, pass: held, isRevoked, slotless });
}

const NOTHING_SHOWN = ok({ ticket: undefined, pass: undefined, isRevoked: false, slotless: undefined });

type Shown = Presented<unknown> | PresentedPass;

/** A bearer token that is neither ticket nor pass, or no token at all. */
function isForeignBearer({ headers }: Visit, ...shown: readonly Shown[]): boolean {
  if (!/^bearer\b/i.test(headers.get("authorization") ?? "")) return false;
  return !shown.some((presented) => presented.state !== "none" && presented.by === "bearer");
}

function refused(visit: Visit, queue: GuardedQueue, shown: readonly Shown[]): Response {
  const reasons = shown.flatMap((presented) => (presented.state === "invalid" ? [presented.reason] : []));
  log("info", "a ticket or pass was refused", { requestId: visit.requestId, queueId: queue.queueId, reasons });
  const cookies = createVisitorCookies(visit, queue);
  const [ticket, pass] = shown;
  if (ticket?.state === "invalid") cookies.clear("ticket");
  if (pass?.state === "invalid") cookies.clear("pass");
  return cookies.putOn(tokenProblem("missing", { requestId: visit.requestId }));
}
