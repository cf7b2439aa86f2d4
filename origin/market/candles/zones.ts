import { bucketEnd, bucketStart, type Frame, HOUR_MS, MINUTE_MS } from "./frames.ts";

/**
 * Days, weeks and months of a time zone: a fixed offset as in `+07:00`, or a name as in `Asia/Tehran`, with the changes
 * of its clock. Offsets are multiples of 15 minutes, so such a day is made of whole 15-minute bars.
 */
export type Zone = {
  readonly name: string;
  /** Local time less UTC, in milliseconds. */
  readonly offsetAt: (at: number) => number;
};

const OFFSET = /^([+-])(0\d|1[0-4]):(00|15|30|45)$/;
const LONG_OFFSET = /^GMT(?:([+-])(\d\d):(\d\d))?/;
/** Hours of some years. */
const KNOWN_MAX = 50_000;

/** Undefined for a name that is not known. */
export function zoneOf(text: string): Zone | undefined {
  const fixed = OFFSET.exec(text);
  if (fixed !== null) {
    const offset = millisOf(fixed[1], fixed[2], fixed[3]);
    return { name: text, offsetAt: () => offset };
  }
  return /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*$/.test(text) ? namedZone(text) : undefined;
}

function namedZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  const known = new Map<number, number>();
  return {
    name,
    offsetAt(at) {
      const quarter = Math.floor(at / (15 * MINUTE_MS));
      let offset = known.get(quarter);
      if (offset === undefined) {
        const text = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
        const [, sign, hours, minutes] = LONG_OFFSET.exec(text) ?? [];
        offset = sign === undefined ? 0 : millisOf(sign, hours, minutes);
        if (known.size >= KNOWN_MAX) known.clear();
        known.set(quarter, offset);
      }
      return offset;
    },
  };
}

function millisOf(sign: string | undefined, hours = "0", minutes = "0"): number {
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/** When a local bucket begins, in UTC. */
export function zoneBucketStart(frame: Frame, at: number, zone: Zone): number {
  return utcOf(bucketStart(frame, at + zone.offsetAt(at)), zone);
}

export function zoneBucketEnd(frame: Frame, start: number, zone: Zone): number {
  return utcOf(bucketEnd(frame, bucketStart(frame, start + zone.offsetAt(start))), zone);
}

/** The clock may change between the two: then the offset at the wanted time counts. */
function utcOf(local: number, zone: Zone): number {
  return local - zone.offsetAt(local - zone.offsetAt(local));
}

/** Whether its days consist of whole hours at this time. */
export function hasWholeHours(zone: Zone, at: number): boolean {
  return zone.offsetAt(at) % HOUR_MS === 0;
}
