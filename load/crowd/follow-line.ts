import { setTimeout as sleep } from "node:timers/promises";
import type { Recorder } from "../record/recorder.ts";
import type { LineLook, LineWatch } from "../target/line-watch.ts";

/** Samples the line during a run, for the gauges. */
export type LineFollower = {
  /** Called before the first arrival: earlier admissions are not counted. */
  readonly begin: () => Promise<void>;
  readonly cap: () => number | undefined;
  readonly stop: () => Promise<void>;
};

type FollowOptions = {
  readonly watch: LineWatch | undefined;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
};

const GAUGE_EVERY_MS = 1_000;

export function followLine({ watch, recorder, nowMs }: FollowOptions): LineFollower {
  let isOver = false;
  let cap: number | undefined;
  let admittedBefore: number | undefined;
  let following = Promise.resolve();
  /** The fullest sample of the second that is not in the record yet. */
  let pending: LineLook | undefined;
  let gaugedMs = 0;

  function gauge(look: LineLook): void {
    cap = look.cap;
    admittedBefore ??= look.admitted;
    if (pending === undefined || look.active - look.cap >= pending.active - pending.cap) pending = look;
    // The last sample is always recorded: it shows how the run ended.
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
    const look = await line.look();
    if (look !== undefined) gauge(look);
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
    cap: () => cap,
    async stop() {
      isOver = true;
      await following;
    },
  };
}
