import { isUnexpired, type Pass } from "../../shared/admission.ts";
import type { SessionWatch } from "../proxy/session-watch.ts";
import { noteActivity } from "./activity.ts";
import type { Later } from "./later.ts";
import type { Gate, GuardedQueue } from "./open-gate.ts";

/**
 * Asked once in a while for as long as a socket is open. A socket that its visitor uses keeps the session alive as requests do. With
 * the store away nothing is known, and the socket goes on until its pass ends.
 */
export function watchSession(queue: GuardedQueue, pass: Pass): SessionWatch["check"] {
  return async ({ isInUse }) => {
    // Also where each request asks: the feed is as fresh as a question per second, and one read serves all sockets.
    if (await queue.revocations.isRevoked(pass, { mode: "fast", later: queue.later, store: queue.gate.store.once })) return "revoked";
    if (isInUse) noteActivity(queue, pass);
    const endsAtMs = queue.sessions.outlasts(pass, queue.settings.sessionTtlSeconds) ?? 0;
    const nowMs = queue.gate.clock.nowMs();
    return isUnexpired(pass, nowMs) || nowMs < endsAtMs ? "running" : "expired";
  };
}

/** The same where the queue's settings are not known: nothing is noted, so that the session ends with its pass. */
export function watchPass(gate: Gate, pass: Pass, later: Later): SessionWatch["check"] {
  const { revocations } = gate.memoryOf(pass.queueId);
  return async () => {
    if (await revocations.isRevoked(pass, { mode: "fast", later, store: gate.store.once })) return "revoked";
    return isUnexpired(pass, gate.clock.nowMs()) ? "running" : "expired";
  };
}
