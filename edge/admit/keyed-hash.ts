import type { CryptoKey } from "jose";

/**
 * A keyed hash of an address or a person, the same at every edge. The store knows only the hash and cannot restore the
 * text.
 */
export type KeyedHash = (text: string) => Promise<string>;

const HASH_CHARS = 22;

/**
 * Keyed by a digest of the signing keys, which only edges have. After a rotation addresses are counted from zero. Each
 * purpose has its own key, so hashes of different purposes cannot be compared.
 */
export function keyedHash(secret: string, purpose: "address" | "person"): KeyedHash {
  let key: CryptoKey | undefined;

  async function importKey(): Promise<CryptoKey> {
    const bytes = await crypto.subtle.digest("SHA-256", encode(`sluice-${purpose}:${secret}`));
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }

  return async (text) => {
    key ??= await importKey();
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(text)));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"))
      .join("")
      .slice(0, HASH_CHARS);
  };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
