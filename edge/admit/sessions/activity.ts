import { isUnexpired, type Pass } from "../../../shared/tokens/admission.ts";
import type { Later, SessionWatch } from "../../proxy/platform.ts";
import { log } from "../../request/log.ts";
import { type IssuedPass, issuePass } from "../issue.ts";
import { backgroundLineOf, type Gate, type GuardedQueue } from "../open-gate.ts";

/**
 * Notes that an admitted session is in use, when that is due: see `Sessions`. The answer is never held up for it longer
 * than `renewedPass` waits. Undefined where nothing is due, as for nearly every request. Never rejects.
 */
export function noteActivity(
  queue: GuardedQueue,
  pass: Pass,
  options?: { readonly isDue?: boolean },
): Promise<void> | undefined {
  const views = queue.sessions.use(pass, queue.settings, options);
  if (views === undefined) return undefined;
  const noted = touch(queue, pass, views);
  queue.later(noted);
  return noted;
}

async function touch(queue: GuardedQueue, { sessionId, unconfirmed }: Pass, views: number): Promise<void> {
  const isFirst = unconfirmed === true;
  try {
    const how = queue.settings.sessionRenewal ? "renew" : "note";
    queue.sessions.touched(sessionId, await backgroundLineOf(queue).touch({ sessionId, views, how, isFirst }));
  } catch (error) {
    log("warn", "cannot record a session's activity", { queueId: queue.queueId, error });
  }
}

/** How long an answer that is ready waits for the store. A later answer brings the pass where that was too short. */
const NOTED_WITHIN_MS = 100;

/** The pass of a session whose slot lasts longer than this one says, if that is known now or in a moment. */
export async function renewedPass(
  queue: GuardedQueue,
  pass: Pass,
  {
    noted,
    withinMs = NOTED_WITHIN_MS,
  }: { readonly noted?: Promise<void> | undefined; readonly withinMs?: number } = {},
): Promise<IssuedPass | undefined> {
  if (noted !== undefined) await settledWithin(noted, withinMs);
  const slotEndMs = queue.sessions.outlasts(pass, queue.settings);
  return slotEndMs === undefined ? undefined : issuePass(queue, { sessionId: pass.sessionId, slotEndMs });
}

function settledWithin(work: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Called regularly while a socket is open. A socket in use keeps the session alive as requests do, and an open one
 * claims a new session: its client is present. While the store is unavailable nothing is known, and the socket stays
 * open until its pass ends.
 */
export function watchSession(queue: GuardedQueue, pass: Pass): SessionWatch["check"] {
  return async ({ isInUse }) => {
    // Also where each request asks: the feed is as fresh as a question per second, and one read serves all sockets.
    if (await queue.revocations.isRevoked(pass, { mode: "fast", later: queue.later, store: queue.gate.store.once }))
      return "revoked";
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
    log("warn", "cannot read a session's end", { queueId: queue.queueId, error });
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
