/** Tick positions: round numbers from 0 to the first that is not below the largest value. */
export type Axis = { readonly ticks: readonly number[]; readonly max: number };

const STEPS_WANTED = 4;
const ROUND_STEPS = [1, 2, 2.5, 5, 10] as const;

/** A count has no tick between 0 and 1 (`isWhole`). */
export function valueAxis(largest: number, { isWhole }: { readonly isWhole: boolean }): Axis {
  const wanted = (largest > 0 ? largest : 1) / STEPS_WANTED;
  const magnitude = 10 ** Math.floor(Math.log10(wanted));
  const round =
    ROUND_STEPS.find((step) => step * magnitude >= wanted * ROUND_TOLERANCE && isAllowed(step * magnitude, isWhole)) ??
    10;
  const step = isWhole ? Math.max(1, round * magnitude) : round * magnitude;
  const count = Math.max(1, Math.ceil((largest / step) * ROUND_TOLERANCE));
  return { ticks: Array.from({ length: count + 1 }, (_, index) => cleaned(index * step)), max: count * step };
}

const isAllowed = (step: number, isWhole: boolean) => !isWhole || step < 1 || Number.isInteger(step);

/** A rounding error above a round number needs no further tick. */
const ROUND_TOLERANCE = 0.999_999;
/** 0.30000000000000004 is 0.3. */
const cleaned = (value: number) => Number(value.toPrecision(12));

const TIME_STEPS_SECONDS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400,
] as const;
const TIME_LINES_MAX = 6;

/** The end of a run is seldom a round number: the last tick lies before it. */
export function timeAxis(durationMs: number): Axis {
  const seconds = durationMs / 1_000;
  const step = TIME_STEPS_SECONDS.find((each) => seconds / each <= TIME_LINES_MAX) ?? seconds / TIME_LINES_MAX;
  const ticks = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => cleaned(index * step * 1_000));
  return { ticks, max: Math.max(1, durationMs) };
}

/** `1:30` beyond two minutes: shorter than a unit at every tick. */
export function timeTickText(ms: number, durationMs: number): string {
  const seconds = ms / 1_000;
  if (durationMs < 120_000) return String(cleaned(seconds));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.round(seconds % 60)];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export const timeUnit = (durationMs: number) =>
  durationMs < 120_000 ? "seconds since the run began" : "time since the run began, min:s";
