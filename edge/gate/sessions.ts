import type { Pass } from "../../shared/admission.ts";
import type { Clock } from "../../shared/clock.ts";
import { passEndMs } from "./issue.ts";

/**
 * When each admitted session was last noted in the store, as this isolate knows it. A session in use is touched at most
 * once per quarter of its time; the pass's own date counts too, so that an isolate which sees a session for the first time
 * does not begin with a touch.
 */
export type Sessions = {
  /** Counts one request, and says how many have come since the last touch when it is time for the next one. */
  readonly use: (pass: Pass, sessionTtlSeconds: number) => number | undefined;
  readonly renewed: (sessionId: string, expiresAtMs: number) => void;
  /** Until when the session is known to last, if that is noticeably longer than its pass says. */
  readonly outlasts: (pass: Pass, sessionTtlSeconds: number) => number | undefined;
};

type Known = { touchedAtMs: number; views: number; expiresAtMs: number };

const SESSIONS_MAX = 20_000;
const TOUCHES_PER_LIFE = 4;
/** A new pass is worth a signature and a cookie only when it brings at least this share of the session's time. */
const RENEWAL_SHARE_MIN = 1 / 8;

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Known>();

  function of(pass: Pass): Known {
    const known = sessions.get(pass.sessionId);
    if (known !== undefined) return known;
    if (sessions.size >= SESSIONS_MAX) {
      const oldest = sessions.keys().next();
      if (!oldest.done) sessions.delete(oldest.value);
    }
    const fresh = { touchedAtMs: pass.issuedAtSeconds * 1000, views: 0, expiresAtMs: 0 };
    sessions.set(pass.sessionId, fresh);
    return fresh;
  }

  return {
    use(pass, sessionTtlSeconds) {
      const session = of(pass);
      session.views++;
      const lastMs = Math.max(session.touchedAtMs, pass.issuedAtSeconds * 1000);
      if (clock.nowMs() - lastMs < (sessionTtlSeconds * 1000) / TOUCHES_PER_LIFE) return undefined;
      const { views } = session;
      session.touchedAtMs = clock.nowMs();
      session.views = 0;
      return views;
    },
    renewed(sessionId, expiresAtMs) {
      const session = sessions.get(sessionId);
      if (session !== undefined) session.expiresAtMs = expiresAtMs;
    },
    outlasts(pass, sessionTtlSeconds) {
      const expiresAtMs = sessions.get(pass.sessionId)?.expiresAtMs ?? 0;
      const gainMs = passEndMs(expiresAtMs) - pass.expiresAtSeconds * 1000;
      return gainMs > sessionTtlSeconds * 1000 * RENEWAL_SHARE_MIN ? expiresAtMs : undefined;
    },
  };
}
