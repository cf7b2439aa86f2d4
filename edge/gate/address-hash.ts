import type { CryptoKey } from "jose";

/** An address as the store may know it: a keyed hash, the same at every edge, from which nobody gets the address back. */
export type HashAddress = (address: string) => Promise<string>;

const HASH_CHARS = 22;

/**
 * Keyed by a digest of the signing keys, which every edge has and nobody else. After a rotation addresses are counted from
 * nothing again.
 */
export function hashAddressWith(secret: string): HashAddress {
  let key: CryptoKey | undefined;

  async function importKey(): Promise<CryptoKey> {
    const bytes = await crypto.subtle.digest("SHA-256", encode(`sluice-address:${secret}`));
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }

  return async (address) => {
    key ??= await importKey();
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(address)));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"))
      .join("")
      .slice(0, HASH_CHARS);
  };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
