import { createHmac, hkdfSync } from "node:crypto";

const KEY_BYTES = 32;

/**
 * One key for each purpose, derived from one secret (RFC 5869): knowing one of them reveals nothing about the others.
 */
export function keyFor(purpose: "refresh-token" | "address" | "command-id", secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `sluice venue ${purpose}`, KEY_BYTES));
}

/** A keyed hash: equal texts have equal hashes, and the text cannot be recovered. */
export type Hide = (text: string) => string;

const HIDDEN_CHARS = 22;

/** Names that users type and their addresses must not be readable in Redis. */
export function hideWith(key: Buffer): Hide {
  return (text) => createHmac("sha256", key).update(text).digest("base64url").slice(0, HIDDEN_CHARS);
}
