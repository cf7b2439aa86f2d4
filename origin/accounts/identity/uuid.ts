import type { FillRandom } from "../../../shared/ids.ts";

/** UUID version 7 (RFC 9562, 5.7): begins with the time, so that ids sort by creation. */
export function newUuid(fillRandom: FillRandom, nowMs: number): string {
  const bytes = fillRandom(new Uint8Array(16));
  const time = nowMs.toString(16).padStart(12, "0");
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = time + Buffer.from(bytes.subarray(6)).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
