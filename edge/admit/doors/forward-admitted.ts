import type { QueueId } from "../../../shared/queue-id.ts";
import { PASS_HEADER, type Pass } from "../../../shared/tokens/admission.ts";
import { isSocket } from "../../proxy/forwarding.ts";
import type { Platform } from "../../proxy/platform.ts";
import { log } from "../../request/log.ts";
import type { Visit } from "../../request/read-visit.ts";
import { clearedLeavingCookie, createVisitorCookies, type VisitorCookies } from "../answers/visitor-cookies.ts";
import { backgroundLineOf, type Gate, type GuardedQueue } from "../open-gate.ts";
import { StoreUnavailable } from "../outage/outage.ts";
import { type HeldPass, isLeaving } from "../presented.ts";
import { noteActivity, renewedPass, watchSession } from "../sessions/sessions.ts";

/**
 * Forwards a visitor who is in. The store is asked nothing on the way there: the session is noted while the application
 * works on its answer, renewed or ended as the application says, and a socket is watched for as long as it is open.
 * `cookies` come with a pass that was signed for this very request: they are the caller's to put on the answer, and the
 * pass does not count as presented before its visitor comes back with it.
 */
export async function forwardAdmitted(
  { visit, platform }: Forwarding,
  queue: GuardedQueue,
  held: HeldPass,
  cookies?: VisitorCookies,
): Promise<Response> {
  visit.headers.set(PASS_HEADER, held.token);
  let command: Command | undefined;
  const { targetUrl } = queue.settings;
  const onOriginHeaders = (headers: Headers) => {
    command = readCommand(headers);
  };
  const forwarding = platform.forward(visit, { onOriginHeaders, targetUrl });
  const isBack = isLeaving(visit, queue.queueId);
  const noted = cookies === undefined ? noteActivity(queue, held.pass, { isDue: isBack }) : undefined;
  const response = await forwarding;
  if (command !== undefined) obey(queue, held.pass, command);
  const answer = isSocket(response)
    ? platform.watchSocket(response, { check: watchSession(queue, held.pass) })
    : response;
  const isEnded = command === "complete" || command === "revoke";
  const renewed = isEnded ? undefined : await renewedPass(queue, held.pass, { noted });
  // Nearly every response is passed on unchanged, so nothing is prepared for it.
  if (!isEnded && renewed === undefined && !isBack) return answer;
  const own = cookies ?? createVisitorCookies(visit, queue);
  if (isBack) own.add(clearedLeavingCookie(visit, queue.queueId));
  if (renewed !== undefined) own.setPass(renewed);
  if (isEnded) own.clear("pass", { always: true });
  return cookies === undefined ? own.putOn(answer) : answer;
}

type Forwarding = { readonly visit: Visit; readonly platform: Platform };

/** How the application steers its visitor's session: `x-sluice-command` on its answer. */
export type Command = "complete" | "revoke" | "extend";

const COMMAND_HEADER = "x-sluice-command";

/** An unknown command is ignored and logged: a mistake in the application must not end a session. */
export function readCommand(headers: Headers): Command | undefined {
  const text = headers.get(COMMAND_HEADER)?.trim().toLowerCase();
  if (text === undefined || text === "") return undefined;
  if (text === "complete" || text === "revoke" || text === "extend") return text;
  log("warn", "the origin sent an unknown command", {});
  return undefined;
}

/**
 * Carried out after the answer. This isolate refuses an ended session from the next request on, the others learn it
 * from the feed.
 */
function obey(queue: GuardedQueue, pass: Pass, command: Command): void {
  const { sessionId } = pass;
  if (command === "extend") {
    queue.later(extend(queue, sessionId));
    return;
  }
  const reason = command === "complete" ? "completed" : "revoked";
  queue.revocations.learn(sessionId, reason);
  queue.later(end(queue, sessionId, reason));
}

async function extend(queue: GuardedQueue, sessionId: string): Promise<void> {
  try {
    queue.sessions.touched(sessionId, await backgroundLineOf(queue).touch({ sessionId, views: 0, how: "renew" }));
  } catch (error) {
    log("warn", "cannot extend a session", { queueId: queue.queueId, error });
  }
}

async function end(queue: GuardedQueue, sessionId: string, reason: "completed" | "revoked"): Promise<void> {
  const line = backgroundLineOf(queue);
  try {
    const { hasMore } = await line.end({ sessionId, reason });
    if (hasMore) queue.sweeps.more(line, queue.later);
  } catch (error) {
    if (error instanceof StoreUnavailable) queue.sweeps.owe(sessionId, reason);
    log("error", "cannot end a session", { queueId: queue.queueId, reason, error });
  }
}

/** Forwards a request that needs no session: its pass tells the origin that the gate let it through. */
export async function forwardOpen(
  { gate, visit, platform }: OpenForwarding,
  { queueId, targetUrl }: OpenPassage,
): Promise<Response> {
  visit.headers.set(PASS_HEADER, await gate.openPasses({ queueId, nowMs: gate.clock.nowMs() }));
  return platform.forward(visit, { targetUrl });
}

type OpenForwarding = Forwarding & { readonly gate: Gate };
type OpenPassage = { readonly queueId: QueueId; readonly targetUrl: string | null };
