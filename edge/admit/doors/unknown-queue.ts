import { assert } from "../../../shared/assert.ts";
import { PASS_HEADER, type Pass } from "../../../shared/tokens/admission.ts";
import { isSocket } from "../../proxy/forwarding.ts";
import { log } from "../../request/log.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { createVisitorCookies } from "../answers/visitor-cookies.ts";
import { type Decision, decide, type GateFacts } from "../decide.ts";
import type { HeldPass, PresentedPass } from "../presented.ts";
import { watchPass } from "../sessions/sessions.ts";
import { wantsOf } from "../wants.ts";
import { type Command, readCommand } from "./forward-admitted.ts";
import type { Meeting } from "./url-door.ts";

/**
 * An isolate that starts while the store is unavailable knows no settings, and perhaps no routes. A valid pass is
 * served until it expires; every other request is refused, because the queue's failure policy is unknown.
 */
export async function atUnknownQueue(meeting: Meeting, pass: PresentedPass): Promise<Response> {
  const isRevoked = pass.state === "valid" && (await isKnownAsRevoked(meeting, pass.held.pass));
  const targetUrl = pass.state === "valid" ? await targetOf(meeting, pass.held.pass) : undefined;
  const isUsable = pass.state === "valid" && !isRevoked && targetUrl !== undefined;
  const decision = decideWithoutSettings(meeting, { queue: "unknown", pass: isUsable ? "valid" : "invalid" });
  if (decision.kind === "refuse") return refused(meeting, decision);
  assert(decision.kind === "forward" && isUsable, "without settings only a valid pass is forwarded");
  if (pass.by === "bearer") meeting.visit.headers.delete("authorization");
  return forwardUnnoted(meeting, pass.held, targetUrl);
}

/** Where the queue's requests went when the pass was signed; undefined when it says so with keys that are gone. */
function targetOf({ gate }: Meeting, { upstream }: Pass): Promise<string | undefined> | null {
  return upstream === undefined ? null : gate.sealedTexts.open(upstream);
}

/** A route names a queue that is not there. */
export async function atMissingQueue(meeting: Meeting): Promise<Response> {
  const decision = decideWithoutSettings(meeting, { queue: "missing", pass: "none" });
  assert(decision.kind === "refuse", "a missing queue is refused");
  return refused(meeting, decision);
}

function decideWithoutSettings({ visit }: Meeting, facts: Pick<GateFacts, "queue" | "pass">): Decision {
  return decide({ ...facts, wants: wantsOf(visit.request), ...NOTHING_ELSE });
}

const NOTHING_ELSE = {
  door: "url",
  asks: "visitor",
  ban: "none",
  ticket: "none",
  invite: "none",
  proof: "settled",
  asked: "nothing",
  turn: "unasked",
} as const;

function refused({ visit }: Meeting, decision: Extract<Decision, { kind: "refuse" }>): Response {
  return refusalResponse({ ...decision, wants: wantsOf(visit.request), visit });
}

/**
 * The longest wait for the revocation feed, which an available store sends at once: other waits came before, and all
 * must fit in a second.
 */
const FEED_MS_MAX = 100;

export function isKnownAsRevoked(
  { gate, later }: Pick<Meeting, "gate" | "later">,
  pass: Pass,
): boolean | Promise<boolean> {
  const answer = gate
    .memoryOf(pass.queueId)
    .revocations.isRevoked(pass, { mode: "fast", later, store: gate.store.once });
  if (typeof answer === "boolean") return answer;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FEED_MS_MAX, false);
    void answer.then((isRevoked) => {
      clearTimeout(timer);
      resolve(isRevoked);
    });
  });
}

/**
 * Like `forwardAdmitted`, but without store calls: a session that the application ends is refused here at once, and
 * ended in the store later.
 */
async function forwardUnnoted(
  { visit, platform, gate, later }: Meeting,
  { token, pass }: HeldPass,
  targetUrl: string | null,
): Promise<Response> {
  visit.headers.set(PASS_HEADER, token);
  let command: Command | undefined;
  const onOriginHeaders = (headers: Headers) => {
    command = readCommand(headers);
  };
  const response = await platform.forward(visit, { onOriginHeaders, targetUrl });
  const answer = isSocket(response)
    ? platform.watchSocket(response, { check: watchPass(gate, pass, later) })
    : response;
  if (command === undefined) return answer;
  log("error", "the origin sent a command while the store was unavailable", { queueId: pass.queueId, command });
  if (command === "extend") return answer;
  const { revocations, sweeps } = gate.memoryOf(pass.queueId);
  revocations.learn(pass.sessionId);
  sweeps.owe(pass.sessionId, command === "complete" ? "completed" : "revoked");
  const cookies = createVisitorCookies(visit, { gate, queueId: pass.queueId });
  cookies.clear("pass", { always: true });
  return cookies.putOn(answer);
}
