import { assert } from "./assert.ts";

/** Fills the array with random bytes, as `crypto.getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

/** A call to the runtime costs more than formatting an id, so one call fetches randomness for many ids. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let taken = POOL_BYTES;

/** Every byte is used once, then overwritten. */
export const systemRandom: FillRandom = (bytes) => {
  if (bytes.length > POOL_BYTES) return crypto.getRandomValues(bytes);
  if (taken + bytes.length > POOL_BYTES) {
    crypto.getRandomValues(pool);
    taken = 0;
  }
  // Byte by byte: for the few that an id has, a view of the pool would cost more than the copy.
  for (let at = 0; at < bytes.length; at++, taken++) {
    bytes[at] = pool[taken] ?? 0;
    pool[taken] = 0;
  }
  return bytes;
};

/** 16 bytes are 22 characters: unguessable, safe in URLs, headers, cookies and Redis keys. */
const ID_BYTES = 16;
const SECRET_BYTES = 32;

export function newId(fillRandom: FillRandom): string {
  return toBase64Url(fillRandom(new Uint8Array(ID_BYTES)));
}

/** A key or password: twice an id's length, so that it also serves as an HMAC key. */
export function newSecret(fillRandom: FillRandom): string {
  return toBase64Url(fillRandom(new Uint8Array(SECRET_BYTES)));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LAST_SIX_BITS = 0b111111;

/**
 * Unpadded, RFC 4648 section 5. Written out because neither Node 24 nor workerd has `Uint8Array.prototype.toBase64`
 * yet.
 */
function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 6) {
      bitCount -= 6;
      text += ALPHABET[(bits >> bitCount) & LAST_SIX_BITS];
    }
    bits &= (1 << bitCount) - 1;
  }
  if (bitCount > 0) text += ALPHABET[(bits << (6 - bitCount)) & LAST_SIX_BITS];
  assert(text.length === Math.ceil((bytes.length * 4) / 3), "base64url length");
  return text;
}
