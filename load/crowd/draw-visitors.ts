import { seededRandom } from "../../kit/random.ts";
import { drawArrivals } from "./arrivals.ts";
import type { CrowdOptions } from "./crowd-options.ts";

/** The behaviour of each visitor, drawn before the run. Every shard draws all visitors and plays its own. */
export type DrawnVisitors = {
  readonly count: number;
  readonly arrivesMs: Float64Array;
  /** Index into `HABITS`. */
  readonly habit: Uint8Array;
  /** Waiting answers before the habit shows. */
  readonly patience: Uint8Array;
  readonly retries: Uint8Array;
  readonly stayMs: Float64Array;
  readonly awayMs: Float64Array;
  readonly address: readonly string[];
};

export const HABITS = ["patient", "silent", "returns", "leaves"] as const;

const PATIENCE_MAX = 3;
/** Well within the time for which a place is kept. */
const AWAY_MS_MIN = 4_000;
const AWAY_MS_MAX = 12_000;
/** Reserved for carrier-grade NAT (RFC 6598): one address shared by many visitors. */
const SHARED_ADDRESS = "100.64.0.1";

export function drawVisitors(options: CrowdOptions): DrawnVisitors {
  const { visitors, shard, seed } = options;
  const arrivals = drawArrivals({
    visitors,
    overMs: options.overSeconds * 1_000,
    curve: options.curve,
    random: seededRandom(seed),
  });
  const random = seededRandom(seed + 1);
  const own = Array.from({ length: visitors }, (_, visitor) => ({
    visitor,
    habit: habitOf(random.next(), options),
    patience: random.between(1, PATIENCE_MAX),
    retries: random.chance(options.retryShare) ? 1 : 0,
    stayMs: options.staySeconds * 1_000 * (0.5 + random.next()),
    awayMs: random.between(AWAY_MS_MIN, AWAY_MS_MAX),
    isShared: random.chance(options.shareAddressShare),
  })).filter(({ visitor }) => visitor % shard.count === shard.index - 1);
  return {
    count: own.length,
    arrivesMs: Float64Array.from(own, ({ visitor }) => arrivals[visitor] ?? 0),
    habit: Uint8Array.from(own, ({ habit }) => habit),
    patience: Uint8Array.from(own, ({ patience }) => patience),
    retries: Uint8Array.from(own, ({ retries }) => retries),
    stayMs: Float64Array.from(own, ({ stayMs }) => stayMs),
    awayMs: Float64Array.from(own, ({ awayMs }) => awayMs),
    address: own.map(({ visitor, isShared }) => (isShared ? SHARED_ADDRESS : addressOf(visitor))),
  };
}

function habitOf(draw: number, { silentShare, returnShare, leaveShare }: CrowdOptions): number {
  if (draw < silentShare) return HABITS.indexOf("silent");
  if (draw < silentShare + returnShare) return HABITS.indexOf("returns");
  if (draw < silentShare + returnShare + leaveShare) return HABITS.indexOf("leaves");
  return HABITS.indexOf("patient");
}

/** A separate address of 10.0.0.0/8 for each visitor. */
function addressOf(visitor: number): string {
  const number = visitor + 1;
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
