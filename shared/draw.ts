import { assert } from "./assert.ts";

/**
 * The draw, as every verifier must compute it. A secret seed is created before the first place is taken, and its
 * SHA-256 is published at once. Each ticket draws the first 39 bits of the HMAC-SHA-256 of its id under the seed; the
 * smallest number goes first, and between equal numbers the id that sorts first. The seed is published at the opening,
 * so that anyone can verify the draw. Nothing is shuffled and nothing is stored: the number is the ticket's place from
 * the moment it joins, and secret until the opening.
 */
export type Drawn = {
  /** The draw's span of numbers in every lane of its queue: which draw it is. */
  readonly drawSpan: number;
  /** Below 2^39. */
  readonly number: number;
};

export type Place = Drawn & { readonly lane: number };

/** As in `edge/line/scripts/order.lua`: a draw has its own span of the lane, and uses its odd numbers. */
const LANE_SPAN = 2 ** 50;
const SPAN = 2 ** 40;
const LANE_MAX = 3;
const NUMBER_MAX = 2 ** 39 - 1;
const HASHED_BYTES = 5;

/** The texts are used as they stand, so that any tool can do the same: `printf %s SEED | sha256sum`. */
export async function commitmentOf(seed: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(seed))));
}

/** Draws for one ticket after the other under one seed. */
export type Drawing = (ticketId: string) => Promise<number>;

export function drawWith(seed: string): Drawing {
  let key: Awaited<ReturnType<typeof importKey>> | undefined;
  return async (ticketId) => {
    key ??= await importKey(seed);
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(ticketId)));
    const first = digest.subarray(0, HASHED_BYTES).reduce((number, byte) => number * 256 + byte, 0);
    return Math.floor(first / 2);
  };
}

/** The place in the line that a ticket carries from the opening on. */
export function orderOf({ lane, drawSpan, number }: Place): number {
  assert(number >= 0 && number <= NUMBER_MAX, "a drawn number is in its span");
  return (LANE_MAX - lane) * LANE_SPAN + drawSpan * SPAN + 2 * number + 1;
}

/** Undefined for a place that was not drawn. Number 0 is what every ticket of a draw carries until the opening. */
export function placeOf(order: number): Place | undefined {
  if (order % 2 !== 1) return undefined;
  return {
    lane: LANE_MAX - Math.floor(order / LANE_SPAN),
    drawSpan: Math.floor((order % LANE_SPAN) / SPAN),
    number: ((order % SPAN) - 1) / 2,
  };
}

function importKey(seed: string) {
  return crypto.subtle.importKey("raw", encode(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
