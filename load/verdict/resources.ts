import type { ResourceSeries, RunRecord } from "../record/run-record.ts";
import type { VerdictLine } from "./judge.ts";

/** The first third is the warm-up; the last third is compared with the second. */
const THIRDS = 3;
/** For caches, uncollected garbage, and a rewrite of the append-only file. */
const GROWTH_MAX = 1.15;
const BYTES_ALLOWED = 24 * 1024 * 1024;
const KEYS_ALLOWED = 1_000;
/** How much more a record may grow in the last third than in the second. */
const ACCELERATION_MAX = 1.3;
/** Promise: no request waits behind a longer stall. */
const STALL_SECONDS_MAX = 0.1;
/** Fewer samples show no trend. */
const POINTS_MIN = 12;

/** One verdict line per sampled quantity. */
export function judgeResources({ resources = [], durationMs }: RunRecord): readonly VerdictLine[] {
  return resources.map((series) => {
    if (series.kind === "peak") return peak(series);
    if (series.points.length < POINTS_MIN) {
      return {
        name: series.name,
        expected: `${POINTS_MIN} samples or more`,
        seen: `${series.points.length} samples`,
        isMet: false,
      };
    }
    return series.kind === "level" ? level(series, durationMs) : growth(series, durationMs);
  });
}

function level({ name, unit, points, settlesAfterMs = 0 }: ResourceSeries, durationMs: number): VerdictLine {
  const [, middle, last] = thirds(points, durationMs).map((third) => Math.max(...third));
  const [before, after] = [middle ?? 0, last ?? 0];
  const allowed = unit === "bytes" ? BYTES_ALLOWED : KEYS_ALLOWED;
  const seen = `at most ${amount(before, unit)} in the second third, ${amount(after, unit)} in the last`;
  if (durationMs / THIRDS < settlesAfterMs) {
    const minutes = Math.ceil((settlesAfterMs * THIRDS) / 60_000);
    return { name, expected: `not judged in a run of less than ${minutes} minutes`, seen, isMet: true };
  }
  return {
    name,
    expected: "does not grow after the first third",
    seen,
    isMet: after <= Math.max(before * GROWTH_MAX, before + allowed),
  };
}

function growth({ name, unit, points }: ResourceSeries, durationMs: number): VerdictLine {
  const [, middle, last] = thirds(points, durationMs).map((third) => (third.at(-1) ?? 0) - (third[0] ?? 0));
  const [before, after] = [middle ?? 0, last ?? 0];
  return {
    name,
    expected: "grows no faster in the last third than in the second",
    seen: `by ${amount(before, unit)} in the second third, by ${amount(after, unit)} in the last`,
    isMet: after <= Math.max(before * ACCELERATION_MAX, before + BYTES_ALLOWED),
  };
}

function peak({ name, points }: ResourceSeries): VerdictLine {
  const expected = `${STALL_SECONDS_MAX * 1_000} ms at most`;
  if (points.length === 0) return { name, expected, seen: "never reported", isMet: false };
  const most = Math.max(...points.map(([, value]) => value));
  return { name, expected, seen: `${Math.round(most * 1_000)} ms`, isMet: most <= STALL_SECONDS_MAX };
}

function thirds(points: ResourceSeries["points"], durationMs: number): readonly (readonly number[])[] {
  return Array.from({ length: THIRDS }, (_, third) =>
    points
      .filter(([atMs]) => Math.min(THIRDS - 1, Math.floor((atMs * THIRDS) / durationMs)) === third)
      .map(([, value]) => value),
  );
}

function amount(value: number, unit: ResourceSeries["unit"]): string {
  return unit === "bytes"
    ? `${(value / 1024 / 1024).toFixed(1)} MiB`
    : `${Math.round(value).toLocaleString("en-GB")} ${unit}`;
}
