import { z } from "zod";
import type { RunRecord } from "./run-record.ts";

const count = z.int().nonnegative();
const numbers = z.array(z.number());
const bits = z.array(z.literal([0, 1]));
const buckets = z.record(z.string().regex(/^\d+$/), count);

const RECORD_VERSION: RunRecord["version"] = 2;

/** The format of `report.json`. Columns of different lengths would mix up visitors. */
const recordSchema = z.object({
  version: z.literal(RECORD_VERSION),
  scenario: z.string(),
  target: z.string(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  machine: z.string().optional(),
  shard: z.string().regex(/^\d+(\+\d+)*\/\d+$/),
  startedAt: z.number(),
  durationMs: z.number(),
  wasInterrupted: z.boolean(),
  requests: z.record(
    z.string(),
    z.object({ answers: z.record(z.string(), count), seconds: z.array(z.object({ second: count, buckets })) }),
  ),
  visitors: z
    .object({
      arrivedMs: numbers,
      joinedOrder: numbers,
      lane: numbers,
      admittedMs: numbers,
      endedMs: numbers,
      end: numbers,
      wasAway: bits,
      lateMs: numbers,
      wasRefused: bits,
      walkedIn: bits,
    })
    .refine(
      (columns) => new Set(Object.values(columns).map((column) => column?.length)).size === 1,
      "columns of different lengths",
    ),
  gauges: z.array(
    z.object({ atMs: z.number(), waiting: z.number(), active: z.number(), cap: z.number(), admitted: z.number() }),
  ),
  orders: z
    .object({
      sent: count,
      notSent: count.default(0),
      acknowledged: count,
      rejected: count,
      unknown: count,
      cancelled: count,
      trades: count,
      asked: count,
      lost: count,
    })
    .optional(),
  faults: z.array(z.object({ atMs: z.number(), what: z.string(), untilMs: z.number() })),
  checks: z.array(z.object({ name: z.string(), expected: z.string(), seen: z.string(), isMet: z.boolean() })),
  driver: z.object({ lateMsMax: z.number(), waitingMost: z.number(), resent: z.number() }).optional(),
  resources: z
    .array(
      z.object({
        name: z.string(),
        unit: z.enum(["bytes", "seconds", "keys"]),
        settlesAfterMs: z.number().optional(),
        kind: z.enum(["level", "record", "peak"]),
        points: z.array(z.tuple([z.number(), z.number()])),
      }),
    )
    .optional(),
});

const versionSchema = z.object({ version: z.int() });

/** Thrown for a record of another format, whose counts have another meaning. */
export class RecordVersionError extends Error {
  override readonly name = "RecordVersionError";

  constructor(version: number) {
    super(`is a record of format ${version}, and this load kit reads format ${RECORD_VERSION}: run the load again`);
  }
}

/** Throws if the file is not the record of a run. */
export function readRecord(text: string): RunRecord {
  const json: unknown = JSON.parse(text);
  const { version } = versionSchema.parse(json);
  if (version !== RECORD_VERSION) throw new RecordVersionError(version);
  const { orders, ...record } = recordSchema.parse(json);
  // JSON has no undefined, which stands for a run without orders.
  return { ...record, orders } as RunRecord;
}
