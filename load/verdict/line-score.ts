import type { Overtaken } from "../verdict/overtaken.ts";
import type { CrowdLimits } from "./line-crowd.ts";

/** How well a policy moved one crowd. */
export type RivalScore = DrainTotal & {
  /** People who left and yet were given a slot. */
  readonly ghosts: number;
};

export type DrainTotal = {
  /** Of those who stayed. */
  readonly admitted: number;
  /** When the last of them went in, or when we stopped looking. */
  readonly drainedMs: number;
  /** The longest time in which there was room, right and somebody present, and nobody went in. */
  readonly longestStallMs: number;
};

export type LineScore = DrainTotal & {
  /** The most slots held beyond the cap. */
  readonly overAdmissions: number;
  /** The most entries beyond burst + rate × window, over all windows. */
  readonly overRate: number;
  readonly overtaken: Overtaken;
  readonly storeCalls: number;
  /** In the busiest ten seconds. */
  readonly pollsPerSecondMax: number;
};

/** Follows those who stay, and says how long the line stood still although it could have moved. */
export type ScoreKeeper = {
  readonly joined: (nowMs: number) => void;
  readonly admitted: (nowMs: number) => void;
  /** Somebody came in who would have lost patience in the best line possible: not counted, but the slot and the token are taken. */
  readonly admittedBesides: (nowMs: number) => void;
  /** Whoever of them. */
  readonly ended: (nowMs: number) => void;
  readonly total: (nowMs: number) => DrainTotal;
};

export function keepScore({ maxActive, rate, burst }: Omit<CrowdLimits, "stayMs">): ScoreKeeper {
  let waiting = 0;
  let inside = 0;
  let admissions = 0;
  let credit = burst;
  let creditAtMs = 0;
  let lastAdmittedMs = 0;
  let longestStallMs = 0;
  // Since when nothing but the policy keeps the next one out, as far as slots and people go.
  let roomSinceMs = 0;

  function settle(nowMs: number): void {
    credit = Math.min(burst, credit + ((nowMs - creditAtMs) * rate) / 1_000);
    creditAtMs = nowMs;
  }

  function noteStall(nowMs: number): void {
    const creditSinceMs = creditAtMs + (Math.max(0, 1 - credit) * 1_000) / rate;
    longestStallMs = Math.max(longestStallMs, nowMs - Math.max(roomSinceMs, creditSinceMs));
  }

  return {
    joined: (nowMs) => {
      if (waiting++ === 0) roomSinceMs = Math.max(roomSinceMs, nowMs);
    },
    admitted: (nowMs) => {
      noteStall(nowMs);
      settle(nowMs);
      credit -= 1;
      waiting--;
      inside++;
      admissions++;
      lastAdmittedMs = nowMs;
      roomSinceMs = nowMs;
    },
    admittedBesides: (nowMs) => {
      settle(nowMs);
      credit -= 1;
      inside++;
    },
    ended: (nowMs) => {
      if (inside-- === maxActive) roomSinceMs = nowMs;
    },
    total: (nowMs) => {
      if (waiting > 0 && inside < maxActive) noteStall(nowMs);
      return { admitted: admissions, drainedMs: waiting > 0 ? nowMs : lastAdmittedMs, longestStallMs };
    },
  };
}
