import { createHmac, hkdfSync } from "node:crypto";

const KEY_BYTES = 32;

/** One key for each purpose, made of one secret (RFC 5869): what is made with one of them says nothing about the others. */
export function keyFor(purpose: "refresh-token" | "address" | "command-id", secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `sluice venue ${purpose}`, KEY_BYTES));
}

/** A keyed hash: the same text is the same name, and nobody gets the text back. */
export type Hide = (text: string) => string;

const HIDDEN_CHARS = 22;

/** What people type into forms and where they sit is nobody's to read in Redis. */
export function hideWith(key: Buffer): Hide {
  return (text) => createHmac("sha256", key).update(text).digest("base64url").slice(0, HIDDEN_CHARS);
}
