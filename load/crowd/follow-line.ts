import { setTimeout as sleep } from "node:timers/promises";
import type { Recorder } from "../record/recorder.ts";
import type { LineLook, LineWatch } from "../target/line-watch.ts";

/** Looks at the line all through a run, for the gauges. */
export type LineFollower = {
  /** Before anybody comes: what was counted until then is not of this run. */
  readonly begin: () => Promise<void>;
  readonly cap: () => number | undefined;
  readonly stop: () => Promise<void>;
};

type FollowOptions = { readonly watch: LineWatch | undefined; readonly recorder: Recorder; readonly nowMs: () => number };

const GAUGE_EVERY_MS = 1_000;

export function followLine({ watch, recorder, nowMs }: FollowOptions): LineFollower {
  let isOver = false;
  let cap: number | undefined;
  let admittedBefore: number | undefined;
  let following = Promise.resolve();
  /** Of the second that is not yet in the record: the fullest look counts. */
  let pending: LineLook | undefined;
  let gaugedMs = 0;

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
