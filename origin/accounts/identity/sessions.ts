import type { Redis } from "ioredis";
import { z } from "zod";
import { type FillRandom, newId } from "../../../shared/ids.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { defineScript } from "../../../shared/store/define-script.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import endSessionsSource from "./end-sessions.lua";
import { SESSION_ENDS_CHANNEL, sessionsKey } from "./keys.ts";
import openSessionSource from "./open-session.lua";
import type { MintedRefreshToken, PresentedRefreshToken, RefreshTokens } from "./refresh-tokens.ts";
import rotateSessionSource from "./rotate-session.lua";

/**
 * Sessions. All sessions of a user are one hash in Redis, so ending all of them is one command, and an access token is
 * valid only while its session is in the hash: an ended session is refused with the next request, and no revoked tokens
 * have to be remembered. Every end is published in the same step, for holders of the session (`held-sessions.ts`). If
 * the store is lost, every user signs in again.
 */
export type Sessions = {
  readonly open: (userId: string, userAgent: string) => Promise<OpenedSession>;
  readonly rotate: (presented: PresentedRefreshToken) => Promise<Result<OpenedSession, "ended" | "reused">>;
  readonly list: (userId: string) => Promise<readonly SessionRecord[]>;
  /** False if there was no such session. */
  readonly end: (session: { readonly userId: string; readonly sessionId: string }) => Promise<boolean>;
  /** All sessions, or those that were opened before a moment of Redis' clock. */
  readonly endAll: (userId: string, openedBeforeMs?: number) => Promise<void>;
};

export type OpenedSession = {
  readonly sessionId: string;
  readonly refreshToken: string;
  readonly nowMs: number;
  readonly refreshExpiresAtMs: number;
};

export type SessionRecord = {
  readonly sessionId: string;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly usedAt: number;
  readonly expiresAt: number;
};

const DAY_MS = 24 * 60 * 60_000;
const REFRESH_TOKEN_MS = 7 * DAY_MS;
/** The maximum age, however often it is refreshed. */
const SESSION_MS_MAX = 30 * DAY_MS;
const SESSIONS_MAX = 20;
const USER_AGENT_CHARS_MAX = 200;
/** Replaces a session's id. */
const ALL_OF_THEM = "";
const AT_ANY_TIME = 0;

const openSession = defineScript({
  name: "open-session",
  source: openSessionSource,
  keys: ["sessions"],
  args: {
    sessionId: z.string(),
    refreshHash: z.string(),
    userAgent: z.string(),
    refreshMs: z.int(),
    lifeMs: z.int(),
    sessionsMax: z.int(),
    channel: z.string(),
    userId: z.string(),
  },
  reply: z.tuple([z.number(), z.number()]),
});

const rotateSession = defineScript({
  name: "rotate-session",
  source: rotateSessionSource,
  keys: ["sessions"],
  args: {
    sessionId: z.string(),
    presentedHash: z.string(),
    nextHash: z.string(),
    refreshMs: z.int(),
    channel: z.string(),
    userId: z.string(),
  },
  reply: z.tuple([z.enum(["rotated", "reused", "ended"]), z.number(), z.number()]),
});

const endSessions = defineScript({
  name: "end-sessions",
  source: endSessionsSource,
  keys: ["sessions"],
  args: { channel: z.string(), userId: z.string(), sessionId: z.string(), openedBeforeMs: z.int() },
  reply: z.int(),
});

const recordSchema = z.object({
  userAgent: z.string(),
  createdAt: z.number(),
  usedAt: z.number(),
  expiresAt: z.number(),
});

type SessionParts = { readonly redis: Redis; readonly refreshTokens: RefreshTokens; readonly random: FillRandom };

export function openSessions({ redis, refreshTokens, random }: SessionParts): Sessions {
  const runner = scriptRunner(redis);
  const opened = (minted: MintedRefreshToken, nowMs: number, refreshExpiresAtMs: number): OpenedSession => {
    return { sessionId: minted.sessionId, refreshToken: minted.token, nowMs, refreshExpiresAtMs };
  };

  const told = (userId: string) => ({ channel: SESSION_ENDS_CHANNEL, userId });
  const end = (userId: string, which: { readonly sessionId: string; readonly openedBeforeMs: number }) =>
    endSessions.run(runner, { keys: { sessions: sessionsKey(userId) }, args: { ...told(userId), ...which } });

  return {
    async open(userId, userAgent) {
      const minted = refreshTokens.mint({ userId, sessionId: newId(random) });
      const args = {
        userAgent: userAgent.slice(0, USER_AGENT_CHARS_MAX).toWellFormed(),
        refreshMs: REFRESH_TOKEN_MS,
        lifeMs: SESSION_MS_MAX,
      };
      const [nowMs, expiresAtMs] = await openSession.run(runner, {
        keys: { sessions: sessionsKey(userId) },
        args: {
          ...args,
          ...told(userId),
          sessionId: minted.sessionId,
          refreshHash: minted.hash,
          sessionsMax: SESSIONS_MAX,
        },
      });
      return opened(minted, nowMs, expiresAtMs);
    },

    async rotate({ userId, sessionId, hash }) {
      const minted = refreshTokens.mint({ userId, sessionId });
      const [outcome, nowMs, expiresAtMs] = await rotateSession.run(runner, {
        keys: { sessions: sessionsKey(userId) },
        args: { ...told(userId), sessionId, presentedHash: hash, nextHash: minted.hash, refreshMs: REFRESH_TOKEN_MS },
      });
      return outcome === "rotated" ? ok(opened(minted, nowMs, expiresAtMs)) : fail(outcome);
    },

    async list(userId) {
      const [time, all] = await Promise.all([redis.time(), redis.hgetall(sessionsKey(userId))]);
      const nowMs = Number(time[0]) * 1000;
      return Object.entries(all)
        .map(([sessionId, text]) => ({ sessionId, ...recordSchema.parse(JSON.parse(text)) }))
        .filter(({ expiresAt }) => expiresAt > nowMs)
        .toSorted((a, b) => b.usedAt - a.usedAt);
    },

    end: async ({ userId, sessionId }) => (await end(userId, { sessionId, openedBeforeMs: AT_ANY_TIME })) === 1,
    endAll: async (userId, openedBeforeMs = AT_ANY_TIME) =>
      void (await end(userId, { sessionId: ALL_OF_THEM, openedBeforeMs })),
  };
}
