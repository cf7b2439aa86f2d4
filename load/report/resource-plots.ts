import type { Html } from "../../edge/room/html.ts";
import type { ResourceSeries, RunRecord } from "../record/run-record.ts";
import { drawTimePlot, thinned } from "./time-plots.ts";

const SHOWN = {
  bytes: { unit: "MiB", scale: 1 / (1024 * 1024) },
  seconds: { unit: "milliseconds", scale: 1_000 },
  keys: { unit: "keys", scale: 1 },
} as const;

const NOTES: Readonly<Record<ResourceSeries["kind"], string>> = {
  level: "Must not grow after the warm-up.",
  record: "Grows with the data, and must not accelerate.",
  peak: "",
};

/** One plot per sampled quantity. */
export function resourcePlots(record: RunRecord): readonly Html[] {
  return (record.resources ?? [])
    .filter(({ points }) => points.length > 0)
    .map(({ name, unit, kind, points }) => {
      const { unit: shownUnit, scale } = SHOWN[unit];
      const scaled = points.map(([atMs, value]) => [atMs, value * scale] as const);
      return drawTimePlot(record, {
        title: name,
        note: NOTES[kind],
        unit: shownUnit,
        isWhole: unit === "keys",
        curves: [{ ink: "one", name, points: thinned(scaled), isArea: true }],
      });
    });
}
