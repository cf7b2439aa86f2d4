/**
 * The frames of candles and their buckets. A frame is folded from a finer one, its source, whose buckets never cross
 * its own; so the finest is folded from trades and all others are merged upward. Weeks begin on Monday, months are
 * those of the calendar, 3-day buckets are counted from 1970. All in UTC.
 */
export type Frame = (typeof FRAMES)[number];

/** The finest first: a frame comes after its source. */
export const FRAMES = [
  ...(["1s", "1m", "3m", "5m", "10m", "15m", "30m", "1h", "2h", "4h"] as const),
  ...(["6h", "8h", "12h", "1d", "3d", "1w", "1M"] as const),
] as const;

export const FRAME_SOURCES: Readonly<Record<Frame, Frame | undefined>> = {
  "1s": undefined,
  "1m": "1s",
  "3m": "1m",
  "5m": "1m",
  "10m": "5m",
  "15m": "5m",
  "30m": "15m",
  "1h": "30m",
  "2h": "1h",
  "4h": "2h",
  "6h": "2h",
  "8h": "4h",
  "12h": "4h",
  "1d": "12h",
  "3d": "1d",
  "1w": "1d",
  "1M": "1d",
};

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const MONTH_MS_MAX = 31 * DAY_MS;

/** How long a bucket lasts; a month lasts at most this long. */
export const FRAME_MS: Readonly<Record<Frame, number>> = {
  "1s": SECOND_MS,
  "1m": MINUTE_MS,
  "3m": 3 * MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "10m": 10 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "30m": 30 * MINUTE_MS,
  "1h": HOUR_MS,
  "2h": 2 * HOUR_MS,
  "4h": 4 * HOUR_MS,
  "6h": 6 * HOUR_MS,
  "8h": 8 * HOUR_MS,
  "12h": 12 * HOUR_MS,
  "1d": DAY_MS,
  "3d": 3 * DAY_MS,
  "1w": WEEK_MS,
  "1M": MONTH_MS_MAX,
};

export function isFrame(text: string): text is Frame {
  return Object.hasOwn(FRAME_SOURCES, text);
}

/** When the bucket of a time begins. */
export function bucketStart(frame: Frame, at: number): number {
  if (frame === "1M") return monthStart(at, 0);
  if (frame === "1w") return at - positiveRest(at - FIRST_MONDAY_MS, WEEK_MS);
  return at - positiveRest(at, FRAME_MS[frame]);
}

/** When the next bucket begins; `start` is the beginning of one. */
export function bucketEnd(frame: Frame, start: number): number {
  return frame === "1M" ? monthStart(start, 1) : start + FRAME_MS[frame];
}

function monthStart(at: number, monthsLater: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}

function positiveRest(value: number, span: number): number {
  const rest = value % span;
  return rest < 0 ? rest + span : rest;
}
