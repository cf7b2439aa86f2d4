import { isUnexpired, type Pass } from "../../shared/admission.ts";
import { log } from "../log.ts";
import type { SessionWatch } from "../proxy/session-watch.ts";
import { noteActivity } from "./activity.ts";
import type { Later } from "./later.ts";
import { backgroundLineOf, type Gate, type GuardedQueue } from "./open-gate.ts";

/**
 * Asked once in a while for as long as a socket is open. A socket that its visitor uses keeps the session alive as requests do, and
 * one that is open claims a new session: its client is there. With the store unavailable nothing is known, and the socket goes on
 * until its pass ends.
 */
export function watchSession(queue: GuardedQueue, pass: Pass): SessionWatch["check"] {
  return async ({ isInUse }) => {
    // Also where each request asks: the feed is as fresh as a question per second, and one read serves all sockets.
    if (await queue.revocations.isRevoked(pass, { mode: "fast", later: queue.later, store: queue.gate.store.once })) return "revoked";
    const isUnclaimed = pass.unconfirmed === true && queue.sessions.slotEndMs(pass) === 0;
    if (isInUse || isUnclaimed) void noteActivity(queue, pass);
    if (isRunning(queue, pass)) return "running";
    await lookAgain(queue, pass);
    return isRunning(queue, pass) ? "running" : "expired";
  };
}

function isRunning({ gate, sessions }: GuardedQueue, pass: Pass): boolean {
  const nowMs = gate.clock.nowMs();
  return isUnexpired(pass, nowMs) || nowMs < sessions.slotEndMs(pass);
}

/** Requests at other isolates may have renewed the session: only the store knows. */
async function lookAgain(queue: GuardedQueue, { sessionId }: Pass): Promise<void> {
  try {
    queue.sessions.touched(sessionId, await backgroundLineOf(queue).touch({ sessionId, views: 0, how: "look" }));
  } catch (error) {
    log("warn", "a session's end could not be read", { queueId: queue.queueId, error });
  }
}

/** The same where the queue's settings are not known: nothing is noted, so that the session ends with its pass. */
export function watchPass(gate: Gate, pass: Pass, later: Later): SessionWatch["check"] {
  const { revocations } = gate.memoryOf(pass.queueId);
  return async () => {
    if (await revocations.isRevoked(pass, { mode: "fast", later, store: gate.store.once })) return "revoked";
    return isUnexpired(pass, gate.clock.nowMs()) ? "running" : "expired";
  };
}
