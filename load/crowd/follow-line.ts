import { setTimeout as sleep } from "node:timers/promises";
import type { Recorder } from "../record/recorder.ts";
import type { LineLook, LineWatch } from "../target/line-watch.ts";
import type { CrowdState } from "./crowd-state.ts";
import { placeAt } from "./ticket-facts.ts";
import type { TurnLog } from "./turn-log.ts";

/** Looks at the line all through a run: for the gauges, and for the order in which turns come. */
export type LineFollower = {
  /** Before anybody comes: what was counted until then is not of this run. */
  readonly begin: () => Promise<void>;
  /** The line knows when this session began, as long as it runs. */
  readonly dateSession: (visitor: number, sessionId: string) => void;
  readonly cap: () => number | undefined;
  readonly stop: () => Promise<void>;
};

type FollowOptions = {
  readonly watch: LineWatch | undefined;
  readonly state: CrowdState;
  readonly turns: TurnLog;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  readonly sessionTtlSeconds: number | undefined;
};

/** So many sessions are asked for with one look. */
const SESSIONS_AT_ONCE = 500;
const GAUGE_EVERY_MS = 1_000;

export function followLine({ watch, state, turns, recorder, nowMs, sessionTtlSeconds }: FollowOptions): LineFollower {
  const undated = new Map<string, number>();
  let isOver = false;
  let cap: number | undefined;
  let admittedBefore: number | undefined;
  let following = Promise.resolve();
  /** Of the second that is not yet in the record: the fullest look counts. */
  let pending: LineLook | undefined;
  let gaugedMs = 0;

  function date(look: LineLook, wanted: readonly string[]): void {
    for (const sessionId of wanted) {
      const visitor = undated.get(sessionId) ?? -1;
      undated.delete(sessionId);
      const slotEndMs = look.slotEndsMs.get(sessionId);
      if (slotEndMs === undefined || sessionTtlSeconds === undefined) continue;
      const atMs = slotEndMs - sessionTtlSeconds * 1_000;
      if (state.joinedOrder[visitor] === -1) {
        state.joinedOrder[visitor] = placeAt(atMs);
        state.lane[visitor] = 0;
      }
      turns.admitted(visitor, atMs);
    }
  }

  function gauge(look: LineLook): void {
    cap = look.cap;
    admittedBefore ??= look.admitted;
    if (pending === undefined || look.active - look.cap >= pending.active - pending.cap) pending = look;
    // The last look says how it ended, whenever it comes.
    if (nowMs() - gaugedMs < GAUGE_EVERY_MS && !isOver) return;
    gaugedMs = nowMs();
    const { active, cap: capThen } = pending;
    recorder.gauge({
      atMs: Math.round(gaugedMs),
      waiting: look.waiting,
      active,
      cap: capThen,
      admitted: look.admitted - admittedBefore,
    });
    pending = undefined;
  }

  async function lookOnce(line: LineWatch): Promise<void> {
    const wanted = [...undated.keys()].slice(0, SESSIONS_AT_ONCE);
    const look = await line.look(wanted);
    if (look === undefined) return;
    turns.looked(look);
    date(look, wanted);
    gauge(look);
  }

  async function follow(line: LineWatch): Promise<void> {
    while (!isOver) {
      await lookOnce(line);
      await sleep(line.everyMs);
    }
    await lookOnce(line);
  }

  return {
    async begin() {
      if (watch === undefined) return;
      admittedBefore = (await watch.look())?.admitted;
      following = follow(watch);
    },
    dateSession: (visitor, sessionId) => void (watch !== undefined && undated.set(sessionId, visitor)),
    cap: () => cap,
    async stop() {
      isOver = true;
      await following;
    },
  };
}
