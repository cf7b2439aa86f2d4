/** The RESP2 wire: the first byte of a reply says what it is. */
export const RESP_SIMPLE = 0x2b;
export const RESP_ERROR = 0x2d;
export const RESP_INTEGER = 0x3a;
export const RESP_BULK = 0x24;
export const RESP_ARRAY = 0x2a;
export const RESP_CARRIAGE_RETURN = 0x0d;
export const RESP_LINE_FEED = 0x0a;

const MINUS = 0x2d;
const ZERO = 0x30;

/** A length or a count, which ends with the line. `-1` is how RESP2 writes null. */
export function readInteger(bytes: Buffer, from: number): number {
  if (bytes[from] === MINUS) return -1;
  let value = 0;
  for (let at = from; ; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte === RESP_CARRIAGE_RETURN) return value;
    value = value * 10 + (byte - ZERO);
  }
}
