import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SLOW_MACHINE_MS } from "../../kit/running-stack.ts";
import { systemClock } from "../../shared/clock.ts";
import { toCrowdOptions } from "../crowd/crowd.ts";
import { runCrowd } from "../crowd/run-crowd.ts";
import type { Progress } from "../progress/progress.ts";
import { createRecorder } from "../record/recorder.ts";
import { VISITOR_ENDS } from "../record/run-record.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { runAttacks } from "./abuse.ts";
import { PLACES_OF_ADDRESS_MAX } from "./floods.ts";

const QUIET: Progress = { say: () => {}, show: () => {}, end: () => {} };
const LIMITS = { cap: 20, rate: 30 };

let target: Target;
beforeAll(async () => {
  const queue = {
    maxActive: LIMITS.cap,
    admissionRate: LIMITS.rate,
    admissionBurst: 5,
    ticketsPerIp: PLACES_OF_ADDRESS_MAX,
  };
  target = await startTarget({ edge: "node", queue, signal: new AbortController().signal, say: () => {} });
}, SLOW_MACHINE_MS);
afterAll(() => target?.stop());

describe("attacks on the gate", { timeout: SLOW_MACHINE_MS }, () => {
  it("fail as expected, are counted, and turn no honest visitor away", async () => {
    const recorder = createRecorder();
    const context = { target, recorder, signal: new AbortController().signal, progress: QUIET, clock: systemClock };
    const options = toCrowdOptions({ ...CROWD, ...LIMITS });
    const [, crowd] = await Promise.all([runAttacks(context), runCrowd(options, context)]);
    const { checks, requests } = recorder.contents();
    // A slow machine spreads the polls over seconds, and the gate allows some in each.
    const isSpread = (name: string) => name.includes("polls of one ticket");
    expect(checks.filter(({ name, isMet }) => !isMet && !isSpread(name))).toEqual([]);
    expect(checks.length).toBeGreaterThan(10);
    expect(requests["attack"]?.answers["token_invalid"]).toBeGreaterThan(200);
    expect(requests["attack"]?.answers["rate_limited"]).toBeGreaterThan(0);
    expect(new Set(crowd.visitors.end.map((end) => VISITOR_ENDS[end]))).toEqual(new Set(["completed"]));
  });
});

const CROWD = {
  visitors: 120,
  over: 3,
  curve: "spike",
  silent: 0,
  return: 0,
  leave: 0,
  retry: 0,
  "share-address": 0,
  requests: 1,
  stay: 0.5,
  seed: 1,
  shard: { index: 1, count: 1 },
} as const;
