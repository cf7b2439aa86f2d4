import type { Pass } from "../../shared/admission.ts";
import { log } from "../log.ts";
import { backgroundLineOf, type GuardedQueue } from "./open-gate.ts";
import { StoreUnavailable } from "./outage.ts";

/** How the application steers its visitor's session: `x-sluice-command` on its answer. */
export type Command = "complete" | "revoke" | "extend";

const COMMAND_HEADER = "x-sluice-command";

/** Anything else is ignored and logged: a slip in the application must not end anybody's session. */
export function readCommand(headers: Headers): Command | undefined {
  const text = headers.get(COMMAND_HEADER)?.trim().toLowerCase();
  if (text === undefined || text === "") return undefined;
  if (text === "complete" || text === "revoke" || text === "extend") return text;
  log("warn", "the origin sent a command that is not known", {});
  return undefined;
}

/** Carried out after the answer. This isolate refuses an ended session from the next request on, the others learn it from the feed. */
export function obey(queue: GuardedQueue, pass: Pass, command: Command): void {
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
    log("warn", "a session could not be extended", { queueId: queue.queueId, error });
  }
}

async function end(queue: GuardedQueue, sessionId: string, reason: "completed" | "revoked"): Promise<void> {
  const line = backgroundLineOf(queue);
  try {
    const { hasMore } = await line.end({ sessionId, reason });
    if (hasMore) queue.sweeps.more(line, queue.later);
  } catch (error) {
    if (error instanceof StoreUnavailable) queue.sweeps.owe(sessionId, reason);
    log("error", "a session could not be ended", { queueId: queue.queueId, reason, error });
  }
}
