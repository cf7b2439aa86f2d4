import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { SLOW_MACHINE_MS } from "../../kit/running-stack.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Progress } from "../progress/progress.ts";
import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { EVERY_VISIT_ENDED, judge, ORDER_OF_ENTRY } from "../verdict/judge.ts";
import { judgeEntryOrder } from "../verdict/order-of-entry.ts";
import type { CrowdOptions } from "./crowd-options.ts";
import { runCrowd } from "./run-crowd.ts";

/** Visitors who return after up to twelve seconds make a run long. */
const SIZE = IS_FULL_RUN
  ? { visitors: 200, overSeconds: 2, returnShare: 0.05 }
  : { visitors: 80, overSeconds: 1, returnShare: 0 };
const QUIET: Progress = { say: () => {}, show: () => {}, end: () => {} };
const CAP = 30;
const PATIENT: CrowdOptions = {
  visitors: 40,
  overSeconds: 1,
  curve: "spike",
  silentShare: 0,
  returnShare: 0,
  leaveShare: 0,
  retryShare: 0,
  shareAddressShare: 0,
  requests: 1,
  staySeconds: 0.3,
  withinSeconds: 180,
  seed: 1,
  shard: { index: 1, count: 1 },
};

let target: Target;
beforeAll(async () => {
  const queue = { maxActive: CAP, admissionRate: 40, admissionBurst: 10, claimSeconds: 5 };
  target = await startTarget({ queue, edges: 2, bridges: 2, signal: new AbortController().signal, say: () => {} });
}, SLOW_MACHINE_MS);
afterAll(() => target?.stop());

function play(options: CrowdOptions, more: Partial<Parameters<typeof runCrowd>[1]> = {}): Promise<RunRecord> {
  return runCrowd(options, {
    target,
    signal: new AbortController().signal,
    progress: QUIET,
    clock: systemClock,
    ...more,
  });
}

function endsOf({ visitors }: RunRecord): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const end of visitors.end) counts[VISITOR_ENDS[end] ?? "?"] = (counts[VISITOR_ENDS[end] ?? "?"] ?? 0) + 1;
  return counts;
}

describe("a crowd", { timeout: SLOW_MACHINE_MS }, () => {
  it("enters within the cap, and the record has the order of entry and the end of every visit", async () => {
    const habits = { silentShare: 0.1, leaveShare: 0.1, retryShare: 0.2, shareAddressShare: 0.3 };
    const record = await play({ ...PATIENT, ...habits, ...SIZE, requests: 2, staySeconds: 1 });
    const { visitors, gauges, requests } = record;
    expect(visitors.arrivedMs).toHaveLength(SIZE.visitors);
    expect(Math.max(...gauges.map(({ active, cap }) => active - cap))).toBeLessThanOrEqual(0);
    expect(Math.max(...gauges.map(({ active }) => active))).toBeGreaterThan(CAP / 2);
    // How well the order is kept depends on how fast this machine answers: only the record is checked here.
    expect(judge(record).lines.map(({ name }) => name)).toContain(ORDER_OF_ENTRY);
    const { compared, late } = judgeEntryOrder(record) ?? expect.fail("no visitor had a place");
    expect(compared + late).toBeGreaterThan(CAP);
    const ends = endsOf(record);
    expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(SIZE.visitors);
    expect(Object.keys(ends).filter((end) => !["completed", "left", "silent"].includes(end))).toEqual([]);
    expect(ends["silent"]).toBeGreaterThan(0);
    expect(ends["left"]).toBe(requests["leave"]?.answers["204"]);
    expect(ends["completed"]).toBe(requests["complete"]?.answers["204"]);
    expect(requests["request"]?.answers).toEqual({ "200": 2 * (ends["completed"] ?? 0) });
    const admitted = visitors.admittedMs.filter((at) => at !== -1);
    expect(admitted).toHaveLength(ends["completed"] ?? 0);
    expect(gauges.at(-1)?.admitted).toBe(admitted.length);
    // Every visitor who entered has a place in the record, with a line or without.
    expect(visitors.admittedMs.filter((at, visitor) => at !== -1 && visitors.joinedOrder[visitor] === -1)).toEqual([]);
    expect(visitors.walkedIn.filter((walked) => walked === 1).length).toBeGreaterThan(0);
    expect(judge(record).lines).toContainEqual(expect.objectContaining({ name: EVERY_VISIT_ENDED, isMet: true }));
  });

  it("gives the record so far when it is stopped", async () => {
    const stopping = new AbortController();
    const record = await play(
      { ...PATIENT, visitors: 100, staySeconds: 60 },
      { signal: stopping.signal, progress: { ...QUIET, show: (rows) => letIn(rows) >= 5 && stopping.abort() } },
    );
    expect(record.wasInterrupted).toBe(true);
    expect(endsOf(record)["underway"]).toBeGreaterThan(0);
    expect(record.visitors.admittedMs.filter((at) => at !== -1).length).toBeGreaterThanOrEqual(5);
    expect(record.requests["page"]?.answers["200"]).toBeGreaterThan(0);
    expect(judge(record).lines).toContainEqual(expect.objectContaining({ name: EVERY_VISIT_ENDED, isMet: true }));
    await freeSlots(record);
  });

  it("hands admitted visitors over, and completes their visits afterwards", async () => {
    const seen: string[] = [];
    const onAdmitted = async ({ cookie, url, address }: { cookie: string; url: string; address: string }) => {
      const response = await fetch(`${url}/api/v1/orders`, { headers: { cookie, "cf-connecting-ip": address } });
      seen.push(`${response.status}`);
      await response.body?.cancel();
    };
    const record = await play({ ...PATIENT, visitors: 20 }, { onAdmitted });
    expect(endsOf(record)).toEqual({ completed: 20 });
    // The gate forwards the request, and the venue asks for credentials.
    expect(seen).toEqual(Array.from({ length: 20 }, () => "401"));
    expect(record.requests["request"]).toBeUndefined();
  });
});

function letIn(rows: readonly { readonly label: string; readonly value: number }[]): number {
  return rows.find(({ label }) => label === "admitted")?.value ?? 0;
}

/** Visitors inside when the run was stopped still hold slots that the next test needs. */
async function freeSlots({ visitors }: RunRecord): Promise<void> {
  expect(visitors.end.length).toBeGreaterThan(0);
  const token = { authorization: `Bearer ${target.own?.adminToken ?? ""}` };
  const admin = `${target.urls[0]}/_sluice/admin/queues/${target.queueId}/sessions`;
  const { sessions } = (await (await fetch(`${admin}?limit=1000`, { headers: token })).json()) as {
    sessions: { sessionId: string }[];
  };
  for (const { sessionId } of sessions)
    await fetch(`${admin}/${sessionId}?reason=test`, { method: "DELETE", headers: token });
}
