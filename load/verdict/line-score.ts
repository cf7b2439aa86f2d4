import type { Overtaken } from "./overtaken.ts";

export type CrowdLimits = {
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  readonly stayMs: number;
};

/** The result of a policy for one crowd. */
export type RivalScore = DrainTotal & {
  /** Slots given to visitors who had left. */
  readonly ghosts: number;
};

export type DrainTotal = {
  /** Admitted visitors among those who stayed. */
  readonly admitted: number;
  /** When the last of them entered, or when the run ended. */
  readonly drainedMs: number;
  /** The longest time without an entry although a slot, a token and a visitor were there. */
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

/** Follows the visitors who stay, and measures how long the line stalled although it could move. */
export type ScoreKeeper = {
  readonly joined: (nowMs: number) => void;
  readonly admitted: (nowMs: number) => void;
  /** A visitor entered who leaves the ideal line: not counted, but the slot and the token are used. */
  readonly admittedBesides: (nowMs: number) => void;
  /** For any visitor inside. */
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
  // Since when a slot and a visitor are there.
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
