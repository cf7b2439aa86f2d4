import { createPrivateKey, sign } from "node:crypto";
import { assert } from "../../shared/assert.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";
import type { WriteToken } from "../tokens/sign-token.ts";

type Header = Parameters<WriteToken>[0]["header"];

/**
 * Writes the same tokens, byte for byte, that jose would write. jose signs through WebCrypto, which hands every
 * signature to another thread and back; that costs as much again as the signature itself, and a join is little more
 * than one signature. Takes the text of SLUICE_SIGNING_KEYS, which was checked with all other settings.
 */
export function createTokenWriter(signingKeys: string): WriteToken {
  const { keys } = JSON.parse(signingKeys) as { readonly keys: readonly PrivateTokenKey[] };
  const privateKeys = new Map(keys.map((key) => [key.kid, createPrivateKey({ key: { ...key }, format: "jwk" })]));
  /** There is one for each key and kind of token. */
  const encodedHeaders = new Map<string, string>();

  function encodedHeader(header: Header): string {
    const name = `${header.typ} ${header.kid}`;
    const known = encodedHeaders.get(name) ?? encoded(header);
    encodedHeaders.set(name, known);
    return known;
  }

  return ({ header, claims }) => {
    const key = privateKeys.get(header.kid);
    assert(key !== undefined, "the active key is one of the keys");
    const content = `${encodedHeader(header)}.${encoded(claims)}`;
    return `${content}.${sign(null, Buffer.from(content), key).toString("base64url")}`;
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
