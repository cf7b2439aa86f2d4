import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import { defineScript, type ScriptRunner } from "../../../shared/store/define-script.ts";
import type { LineFlow } from "../../line/answer.ts";
import { queueKeys } from "../../line/keys.ts";
import type { Phase } from "../../line/schedule.ts";
import source from "./read-stats.lua";
import { WAIT_BUCKETS } from "./wait-histogram.ts";

/** One queue's counts, and how full it is, at one instant of the store's time. */
export type QueueStats = {
  readonly nowMs: number;
  readonly mode: string;
  /** Where its event stands; a queue without one is open. */
  readonly phase: Phase;
  /** In the line; those whose turn it is are `ready`. */
  readonly waiting: number;
  readonly ready: number;
  /** Slots taken, by people inside and by those whose turn it is. */
  readonly active: number;
  /** In force now: an event may have its own limits. */
  readonly maxActive: number;
  readonly admissionRate: number;
  /** How fast the line moves, as for a visitor's estimate. */
  readonly flow: LineFlow;
  /** The hash as it is stored; a field that is not there counts 0. */
  readonly fields: ReadonlyMap<string, string>;
};

const phase = z.enum(["scheduled", "prequeue", "open", "over"]) satisfies z.ZodType<Phase>;
const count = z.number().int().nonnegative();

const readStatsScript = defineScript({
  name: "read-stats",
  source,
  keys: ["meta", "waiting", "active", "ready", "bucket", "stats"],
  args: { fields: z.string(), nowMs: z.literal("") },
  reply: z.union([
    z.tuple([]).transform(() => undefined),
    z.tuple(
      [count, count, count, count, count, count, count, count, phase, z.string(), z.string(), z.string()],
      z.string(),
    ),
  ]),
});

/** `totals` leaves out the minutes and hours, which are most of it. Undefined when there is no such queue. */
export async function readStats(
  store: ScriptRunner,
  queueId: string,
  what: "all" | "totals",
): Promise<QueueStats | undefined> {
  const { meta, waiting, active, ready, bucket, stats } = queueKeys(queueId);
  const args = { fields: what === "all" ? "" : TOTAL_FIELDS_JSON, nowMs: "" } as const;
  const reply = await readStatsScript.run(store, { keys: { meta, waiting, active, ready, bucket, stats }, args });
  if (reply === undefined) return undefined;
  const [
    nowMs,
    inLine,
    turns,
    slots,
    admissions,
    freed,
    present,
    stillMs,
    stands,
    mode,
    maxActive,
    admissionRate,
    ...flat
  ] = reply;
  assert(flat.length % 2 === 0, "a hash has as many values as names");
  return {
    nowMs,
    mode,
    phase: stands,
    waiting: inLine,
    ready: turns,
    active: slots,
    maxActive: Number(maxActive),
    admissionRate: Number(admissionRate),
    flow: {
      admissionsPerSecond: admissions / 1000,
      freedPerSecond: freed / 1000,
      presentShare: present / 1000,
      stillMs,
      freeSlots: Math.max(0, Number(maxActive) - slots),
      takenSlots: slots,
    },
    fields: new Map(flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ""] as const] : []))),
  };
}

export const waitField = (bucket: number) => `wait:${bucket}`;
export const gaveUpField = (bucket: number) => `gave_up:${bucket}`;

const buckets = Array.from({ length: WAIT_BUCKETS }, (_, bucket) => bucket);
const COUNTERS = [
  "total_enqueued",
  "total_returned",
  "total_admitted",
  "total_expired",
  "total_left",
  "wait_ms_sum",
  "gave_up_ms_sum",
];
const TOTAL_FIELDS_JSON = JSON.stringify([...COUNTERS, ...buckets.map(waitField), ...buckets.map(gaveUpField)]);

export function numberOf({ fields }: Pick<QueueStats, "fields">, name: string): number {
  return Number(fields.get(name) ?? 0);
}
