import type { Pass } from "../../shared/admission.ts";
import { log } from "../log.ts";
import { type IssuedPass, issuePass } from "./issue.ts";
import { backgroundLineOf, type GuardedQueue } from "./open-gate.ts";

/** Notes that an admitted session is in use, after the answer and at most once per quarter of its time. */
export function noteActivity(queue: GuardedQueue, pass: Pass): void {
  const views = queue.sessions.use(pass, queue.settings.sessionTtlSeconds);
  if (views !== undefined) queue.later(touch(queue, pass, views));
}

async function touch(queue: GuardedQueue, { sessionId }: Pass, views: number): Promise<void> {
  try {
    const expiresAtMs = await backgroundLineOf(queue).touch({ sessionId, views, renew: queue.settings.sessionRenewal });
    if (expiresAtMs > 0) queue.sessions.renewed(sessionId, expiresAtMs);
  } catch (error) {
    log("warn", "a session's activity could not be noted", { queueId: queue.queueId, error });
  }
}

/** The pass of a session that was renewed since this one was signed. */
export async function renewedPass(queue: GuardedQueue, pass: Pass): Promise<IssuedPass | undefined> {
  const slotEndMs = queue.sessions.outlasts(pass, queue.settings.sessionTtlSeconds);
  return slotEndMs === undefined ? undefined : issuePass(queue, { sessionId: pass.sessionId, slotEndMs });
}
