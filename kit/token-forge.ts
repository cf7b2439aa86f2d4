import { base64url, generateKeyPair } from "jose";
import type { QueueId } from "../shared/queue-id.ts";
import { type TokenKind, tokenAudience, tokenType } from "../shared/tokens/admission.ts";
import { newTokenKey } from "../shared/tokens/new-token-key.ts";
import { importTokenKey, type PrivateTokenKey } from "../shared/tokens/token-keys.ts";

/** Writes tokens the way an attacker would: any header, any claims, any key. Runs in workerd and in Node alike. */
export type TokenForge = {
  readonly kind: TokenKind;
  readonly jwk: PrivateTokenKey;
  readonly strangerJwk: PrivateTokenKey;
  readonly nowSeconds: number;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Signed by the gate's key by default; a member set to undefined is left out. */
  readonly token: (parts?: ForgedParts) => Promise<string>;
};

export type ForgedParts = {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly payloadText?: string;
  readonly sign?: (input: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
};

export const VENUE = "venue" as QueueId;
export const OTHER_QUEUE = "demo" as QueueId;
export const ISSUER = "sluice";
export const VISITOR_ID = "AAAAAAAAAAAAAAAAAAAAAA";
export const TOKEN_ID = "BBBBBBBBBBBBBBBBBBBBBB";

type ForgeOptions = Pick<ForgedParts, "header" | "claims"> & {
  readonly kind: TokenKind;
  readonly nowSeconds: number;
  readonly jwk?: PrivateTokenKey;
};

/** `header` and `claims` are what is else or besides in every token that it makes. */
export async function createTokenForge({ kind, nowSeconds, jwk: given, ...always }: ForgeOptions): Promise<TokenForge> {
  const jwk = given ?? (await newTokenKey("key-1"));
  const strangerJwk = await newTokenKey("key-1");
  const header = { alg: "EdDSA", typ: tokenType(kind), kid: jwk.kid, ...always.header };
  const own = {
    pass: { jti: TOKEN_ID },
    ticket: { order: 41, lane: 0 },
    invite: { lane: 2, uses: 1 },
    challenge: { bits: 8 },
  }[kind];
  const lifetimeSeconds = kind === "challenge" ? 60 : 3_600;
  const claims = {
    iss: ISSUER,
    aud: tokenAudience(kind, VENUE),
    sub: VISITOR_ID,
    iat: nowSeconds,
    exp: nowSeconds + lifetimeSeconds,
    ...own,
    ...always.claims,
  };
  const token = async (parts: ForgedParts = {}) => {
    const payload = parts.payloadText ?? JSON.stringify({ ...claims, ...parts.claims });
    const input = `${encode(JSON.stringify({ ...header, ...parts.header }))}.${encode(payload)}`;
    const signature = await (parts.sign ?? signWith(jwk))(bytesOf(input));
    return `${input}.${base64url.encode(signature)}`;
  };
  return { kind, jwk, strangerJwk, nowSeconds, header, claims, token };
}

export function signWith(jwk: PrivateTokenKey) {
  return async (input: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await crypto.subtle.sign("Ed25519", await importTokenKey(jwk), input));
}

/** HS256 with any bytes as the secret: the classic attack uses the public key. */
export function hmacWith(secret: Uint8Array<ArrayBuffer>) {
  return async (input: Uint8Array<ArrayBuffer>) => {
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, input));
  };
}

export async function signWithEs256(input: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { privateKey } = await generateKeyPair("ES256");
  return new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, input));
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

export function encode(text: string): string {
  return base64url.encode(text);
}

/**
 * Another spelling of the same bytes: the last character of a signature of 64 bytes has four bits that no decoder looks
 * at.
 */
export function withLastCharacterChanged(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(token.slice(-1));
  return token.slice(0, -1) + alphabet[last + 1];
}
