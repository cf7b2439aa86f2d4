import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { queueKeys, sessionKey } from "../../line/keys.ts";
import { log } from "../../request/log.ts";
import { backgroundLineOf, type GuardedQueue } from "../open-gate.ts";
import markLeavingSource from "./mark-leaving.lua";

const markLeavingScript = defineScript({
  name: "mark-leaving",
  source: markLeavingSource,
  keys: ["active", "session"],
  args: { sessionId: z.string() },
  reply: z.number().int().nonnegative(),
});

/**
 * Long enough for the next page of the site to load and to say that its visitor is still there; short enough to be
 * worth the beacon. The platform keeps work alive for 30 s after an answer.
 */
const GRACE_MS = 10_000;

/** As long as the browser says with its requests that a page of this visitor was closed. */
export const LEAVING_SECONDS = GRACE_MS / 1000;

/**
 * A page of an admitted visitor was closed. A browser cannot say whether the visitor leaves or follows a link, so the
 * session ends after a moment, unless its pass is presented meanwhile. If the edge stops in that moment, the session
 * stays. Rejects when the store is unavailable.
 */
export async function leaveSoon(queue: GuardedQueue, sessionId: string): Promise<void> {
  const keys = { active: queueKeys(queue.queueId).active, session: sessionKey(queue.queueId, sessionId) };
  const leavingAtMs = await markLeavingScript.run(queue.store, { keys, args: { sessionId } });
  if (leavingAtMs > 0) queue.later(endAfterGrace(queue, { sessionId, leavingAtMs }));
}

type Leaving = { readonly sessionId: string; readonly leavingAtMs: number };

async function endAfterGrace(queue: GuardedQueue, { sessionId, leavingAtMs }: Leaving): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
  const line = backgroundLineOf(queue);
  try {
    const { hasMore } = await line.end({ sessionId, reason: "left", leavingAtMs });
    if (hasMore) queue.sweeps.more(line, queue.later);
  } catch (error) {
    log("warn", "cannot end the session of a closed page", { queueId: queue.queueId, error });
  }
}
