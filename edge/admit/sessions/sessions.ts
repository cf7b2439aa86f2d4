import type { Clock } from "../../../shared/clock.ts";
import { CLOCK_TOLERANCE_SECONDS, type Pass } from "../../../shared/tokens/admission.ts";
import type { QueueSettings } from "../../line/settings.ts";

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
