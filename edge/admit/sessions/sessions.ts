import type { Clock } from "../../../shared/clock.ts";
import { CLOCK_TOLERANCE_SECONDS, isUnexpired, type Pass } from "../../../shared/tokens/admission.ts";
import type { QueueSettings } from "../../line/settings.ts";
import type { Later, SessionWatch } from "../../proxy/platform.ts";
import { log } from "../../request/log.ts";
import { type IssuedPass, issuePass } from "../issue.ts";
import { backgroundLineOf, type Gate, type GuardedQueue } from "../open-gate.ts";

/**
 * When each admitted session was last noted in the store, as this isolate knows it. A session in use is touched at most
 * once per quarter of its time, or per eighth of its idle time; the pass's own date counts too, so that an isolate
 * which sees a session for the first time does not begin with a touch. The first presentation of a new session's pass
 * is always noted.
 */
export type Sessions = {
  /**
   * Counts one request, and says how many have come since the last touch when it is time for the next one; `isDue`: it
   * is.
   */
  readonly use: (pass: Pass, times: SessionTimes, options?: { readonly isDue?: boolean }) => number | undefined;
  /** A touch was answered: the slot lasts until then, or 0 when the session has ended. */
  readonly touched: (sessionId: string, slotEndMs: number) => void;
  /**
   * Until when the slot is known to last, if that is noticeably longer than the pass says and the visitor was not told
   * a moment ago: a program that keeps its first pass costs a signature once a second, not with each request.
   */
  readonly outlasts: (pass: Pass, times: SessionTimes) => number | undefined;
  /** Until when the slot is known to last; 0 when this isolate has not touched the session. */
  readonly slotEndMs: (pass: Pass) => number;
};

export type SessionTimes = Pick<QueueSettings, "sessionTtlSeconds" | "idleSeconds">;

type Known = { touchedAtMs: number; triedAtMs: number; views: number; slotEndMs: number; toldAtMs: number };

const SESSIONS_MAX = 20_000;
const TOUCHES_PER_LIFE = 4;
/** A slot returns idleSeconds after the last noted request: the last one of all may have come this much later. */
const TOUCHES_PER_IDLE = 8;
/** A touch that failed is tried again by a later request, but not by every one. */
const RETRY_MS = 1_000;
/** A first pass is replaced by any that lasts longer: it would be noted again by each isolate that sees it. */
const FIRST_GAIN_MS_MIN = 1_000;

/** Answers that cross each other bring one new pass between them; a visitor who misses it gets the next one soon. */
const TOLD_AGAIN_MS = 1_000;
const NEVER_MS = Number.NEGATIVE_INFINITY;

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Known>();

  function of(pass: Pass): Known {
    const known = sessions.get(pass.sessionId);
    if (known !== undefined) return known;
    if (sessions.size >= SESSIONS_MAX) {
      const oldest = sessions.keys().next();
      if (!oldest.done) sessions.delete(oldest.value);
    }
    const fresh = {
      touchedAtMs: pass.issuedAtSeconds * 1000,
      triedAtMs: NEVER_MS,
      views: 0,
      slotEndMs: 0,
      toldAtMs: NEVER_MS,
    };
    sessions.set(pass.sessionId, fresh);
    return fresh;
  }

  return {
    use(pass, times, { isDue = false } = {}) {
      const session = of(pass);
      session.views++;
      const nowMs = clock.nowMs();
      const isUnclaimed = pass.unconfirmed === true && session.slotEndMs === 0;
      const lastMs = Math.max(session.touchedAtMs, pass.issuedAtSeconds * 1000);
      if (!isDue && !isUnclaimed && nowMs - lastMs < touchEveryMs(times)) return undefined;
      if (!isDue && Math.abs(nowMs - session.triedAtMs) < RETRY_MS) return undefined;
      const { views } = session;
      session.triedAtMs = nowMs;
      session.views = 0;
      return views;
    },
    touched(sessionId, slotEndMs) {
      const session = sessions.get(sessionId);
      if (session === undefined) return;
      session.touchedAtMs = clock.nowMs();
      session.slotEndMs = Math.max(session.slotEndMs, slotEndMs);
    },
    outlasts(pass, times) {
      const session = sessions.get(pass.sessionId);
      const nowMs = clock.nowMs();
      if (session === undefined || Math.abs(nowMs - session.toldAtMs) < TOLD_AGAIN_MS) return undefined;
      const { slotEndMs } = session;
      const gainMs = passEndMs(slotEndMs) - pass.expiresAtSeconds * 1000;
      // A new pass is worth a signature and a cookie only when it brings at least half of what a touch does.
      const worthMs = pass.unconfirmed ? FIRST_GAIN_MS_MIN : touchEveryMs(times) / 2;
      if (gainMs <= worthMs) return undefined;
      session.toldAtMs = nowMs;
      return slotEndMs;
    },
    slotEndMs: (pass) => sessions.get(pass.sessionId)?.slotEndMs ?? 0,
  };
}

function touchEveryMs({ sessionTtlSeconds, idleSeconds }: SessionTimes): number {
  const ofLifeMs = (sessionTtlSeconds * 1000) / TOUCHES_PER_LIFE;
  return idleSeconds > 0 ? Math.min(ofLifeMs, (idleSeconds * 1000) / TOUCHES_PER_IDLE) : ofLifeMs;
}

/**
 * Readers take a pass for a few seconds past its end, for clocks that differ. That time is the slot's too, never
 * longer.
 */
export function passEndMs(slotEndMs: number): number {
  return slotEndMs - CLOCK_TOLERANCE_SECONDS * 1000;
}

/** The slot that a pass stands for, as far as the pass knows. */
export function slotEndMs({ expiresAtSeconds }: Pass): number {
  return (expiresAtSeconds + CLOCK_TOLERANCE_SECONDS) * 1000;
}

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
