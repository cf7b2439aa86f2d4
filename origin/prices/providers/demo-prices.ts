/**
 * Prices for a first look: plausible, made up, and marked as such wherever they are shown. A price is a function of
 * seed, item and time, the sum of smooth random curves from ten minutes to years, so that the past can be computed as
 * well and every process computes the same.
 */
export type DemoItem = {
  readonly decimals: number;
  /** The walks that it follows, each with how much of it: buying and selling move together, and all rials with the dollar. */
  readonly walks: readonly { readonly name: string; readonly share: number }[];
};

type DemoParts = DemoItem & { readonly seed: number; readonly basePrice: string };

export function demoPrice({ decimals, walks, seed, basePrice }: DemoParts, atMs: number): bigint {
  let logarithm = 0;
  for (const { name, share } of walks) logarithm += share * walkAt(hash(seed, name), atMs);
  const price = Number(basePrice) * Math.exp(logarithm) * 10 ** decimals;
  // People round: six digits, and no single rials.
  const step = decimals > 0 ? 1 : 10 ** Math.max(1, Math.floor(Math.log10(price)) - 5);
  return BigInt(Math.max(1, Math.round(price / step) * step));
}

function walkAt(phase: number, atMs: number): number {
  let logarithm = 0;
  for (const [octave, { spanMs, weight }] of OCTAVES.entries())
    logarithm += weight * noise(hash(phase, String(octave)), atMs / spanMs);
  return logarithm;
}

const MINUTE_MS = 60_000;

/** A walk spreads with the square root of time: a curve of four times the span has twice the height. */
const OCTAVES = Array.from({ length: 10 }, (_, octave) => ({
  spanMs: 10 * MINUTE_MS * 4 ** octave,
  weight: 0.0007 * 2 ** octave,
}));

/** A smooth curve through one random value from -1 to 1 for each whole number. */
function noise(seed: number, at: number): number {
  const left = Math.floor(at);
  const share = at - left;
  const smooth = share * share * (3 - 2 * share);
  return valueAt(seed, left) * (1 - smooth) + valueAt(seed, left + 1) * smooth;
}

function valueAt(seed: number, at: number): number {
  return mix(seed ^ Math.imul(at, GOLDEN)) / 2 ** 31 - 1;
}

const GOLDEN = 0x9e3779b9;

function hash(seed: number, text: string): number {
  let state = mix(seed);
  for (const character of text) state = mix(state ^ (character.codePointAt(0) ?? 0));
  return state;
}

/** 32 bits in, 32 bits out, each depending on all. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
