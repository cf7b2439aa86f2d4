import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { replies } from "../../redis/pipeline.ts";
import { SESSION_ENDS_CHANNEL, sessionsKey, userKey } from "./keys.ts";
import type { User } from "./user.ts";

/**
 * Notifies holders of a session, for example sockets, when it ends. The script that ends a session publishes it to
 * every process in the same step; a check once a second finds what was missed (Redis restarted empty, a row was changed
 * by hand). While Redis is unavailable, nothing is known: held sessions stay until their token expires.
 */
export type HeldSessions = {
  /** Returns how to release it. */
  readonly hold: (session: HeldSession) => () => void;
  readonly stop: () => void;
};

type HeldSession = {
  readonly userId: string;
  readonly sessionId: string;
  /** The role with which it was opened. */
  readonly role: User["role"];
  /** Called once; the session is released by then. */
  readonly onEnd: (reason: HoldEnd) => void;
};

type HoldEnd = "session_ended" | "role_changed";

/** A missed end is found within two seconds, including a slow round trip. */
const LOOK_EVERY_MS = 1_000;
/** The most sessions per round trip. */
const BATCH = 500;

type HeldParts = { readonly redis: Redis; readonly log: Logger };

export function openHeldSessions({ redis, log }: HeldParts): HeldSessions {
  const held = new Map<string, Set<HeldSession>>();
  // A subscribed connection can run no other commands in the older protocol.
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
    for (const { userId, sessionId } of sessions)
      pipeline.hexists(sessionsKey(userId), sessionId).hmget(userKey(userId), "status", "role");
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
      // Redis is unavailable; health reports it, and the next check comes soon.
    } finally {
      if (!isStopped) timer.refresh();
    }
  }

  subscriber.on("error", (error) => log.warn({ err: error }, "redis connection"));
  subscriber.on("ready", () => {
    subscriber
      .subscribe(SESSION_ENDS_CHANNEL)
      .catch((error: unknown) => log.warn({ err: error }, "cannot subscribe to the channel of ended sessions"));
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
      // It may have ended since it was found open; if Redis is unavailable, the next check reads it again.
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
