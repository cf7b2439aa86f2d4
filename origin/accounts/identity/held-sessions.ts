import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { replies } from "../redis/pipeline.ts";
import { SESSION_ENDS_CHANNEL, sessionsKey, userKey } from "./keys.ts";
import type { User } from "./user.ts";

/**
 * Tells whoever keeps a session open, a socket for instance, that it is over: at once, because the script that ends a session says so
 * in the same step to every process, and at the latest with the next look, once a second, if that word was lost or never said (Redis came back
 * empty, somebody wrote into the record by hand). With Redis away nothing is known: what is held stays until its token runs out.
 */
export type HeldSessions = {
  /** Answers how to let go. */
  readonly hold: (session: HeldSession) => () => void;
  readonly stop: () => void;
};

type HeldSession = {
  readonly userId: string;
  readonly sessionId: string;
  /** With which rights it was opened. */
  readonly role: User["role"];
  /** Called once, and then it is held no more. */
  readonly onEnd: (reason: HoldEnd) => void;
};

type HoldEnd = "session_ended" | "role_changed";

/** What was missed is noticed within two seconds, a slow round trip included. */
const LOOK_EVERY_MS = 1_000;
/** Sessions asked for in one round trip. */
const BATCH = 500;

type HeldParts = { readonly redis: Redis; readonly log: Logger };

export function openHeldSessions({ redis, log }: HeldParts): HeldSessions {
  const held = new Map<string, Set<HeldSession>>();
  // A connection that listens can do nothing else in the older protocol.
  const subscriber = redis.duplicate({ autoResubscribe: false });
  let isStopped = false;

  function release(session: HeldSession): void {
    const ofUser = held.get(session.userId);
    ofUser?.delete(session);
    if (ofUser?.size === 0) held.delete(session.userId);
  }

  function end(session: HeldSession, reason: HoldEnd): void {
    if (held.get(session.userId)?.has(session) !== true) return;
    release(session);
    session.onEnd(reason);
  }

  async function check(sessions: readonly HeldSession[]): Promise<void> {
    const pipeline = redis.pipeline();
    for (const { userId, sessionId } of sessions) pipeline.hexists(sessionsKey(userId), sessionId).hmget(userKey(userId), "status", "role");
    const answers = await replies(pipeline);
    for (const [index, session] of sessions.entries()) {
      const isOpen = answers[2 * index] === 1;
      const [status, role] = answers[2 * index + 1] as [string | null, string | null];
      if (!isOpen || status !== "active") end(session, "session_ended");
      else if (role !== session.role) end(session, "role_changed");
    }
  }

  async function look(): Promise<void> {
    try {
      const all = [...held.values()].flatMap((sessions) => [...sessions]);
      for (let from = 0; from < all.length; from += BATCH) await check(all.slice(from, from + BATCH));
    } catch {
      // Redis is away; health says so, and the next look is soon.
    } finally {
      if (!isStopped) timer.refresh();
    }
  }

  subscriber.on("error", (error) => log.warn({ err: error }, "redis connection"));
  subscriber.on("ready", () => {
    subscriber.subscribe(SESSION_ENDS_CHANNEL).catch((error: unknown) => log.warn({ err: error }, "ends of sessions are not heard"));
  });
  subscriber.on("message", (_channel: string, message: string) => {
    const [userId = "", sessionId] = message.split(" ");
    for (const session of [...(held.get(userId) ?? [])]) {
      if (session.sessionId === sessionId) end(session, "session_ended");
    }
  });

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    hold(session) {
      const ofUser = held.get(session.userId) ?? new Set();
      held.set(session.userId, ofUser.add(session));
      // It may have ended between the moment when it was found open and this one; with Redis away the next look asks again.
      check([session]).catch(() => {});
      return () => release(session);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      subscriber.disconnect();
    },
  };
}
