/** Numbers formatted for reading. */
export const countText = (count: number) => Math.round(count).toLocaleString("en-GB");

const DASH = "–";

export function millisecondsText(ms: number | undefined): string {
  if (ms === undefined) return DASH;
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 100 ? `${countText(ms)} ms` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** `1 min 30 s`. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return DASH;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const parts = [
    [Math.floor(minutes / 60), "h"],
    [minutes % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

export function shareText(part: number, whole: number): string {
  return whole === 0 ? DASH : `${((part * 100) / whole).toFixed(1)} %`;
}

/** A tick of an axis. */
export function tickText(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 3 });
}
