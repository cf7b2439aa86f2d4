import { parse, serialize } from "hono/utils/cookie";
import { base64url } from "jose";
import { assert } from "../../../shared/assert.ts";
import { type FillRandom, newId } from "../../../shared/ids.ts";
import { isSameText } from "../../../shared/tokens/same-bytes.ts";
import type { EdgeConfiguration } from "../../request/env.ts";

/**
 * An operator's sign-in to the console. Two halves: a cookie that scripts cannot read, and a key that only the
 * console's own page gets. Each is useless without the other, because the application behind the gate is on the same
 * host: one of its scripts, or an injected one, could send the cookie, but never learns the key.
 *
 * Neither contains the operator token. Both are keyed hashes under it, so that a changed token ends every session of
 * its operator; nothing is stored.
 */
export type ConsoleSession = {
  readonly key: string;
  readonly expiresAtMs: number;
  /** The operator of the token. */
  readonly operator: string;
  /** As the operator gave it, for the audit log: several people may share one token. Empty: not given. */
  readonly name: string;
};

/** Long enough for a launch, short enough that a forgotten browser is no key to the house. */
export const SESSION_SECONDS = 4 * 3_600;
const COOKIE_PATH = "/_sluice";
const COOKIE = /^([\w-]{22}\.(\d{10})\.([\w-]{1,32})\.([\w-]{0,600}))\.([\w-]{43})$/;

type Secrets = Pick<EdgeConfiguration, "operators" | "signingKeys">;

type NewSession = Pick<ConsoleSession, "operator" | "name"> & {
  readonly nowMs: number;
  readonly fillRandom: FillRandom;
};

export async function startSession(
  secrets: Secrets,
  { operator, name, nowMs, fillRandom }: NewSession,
): Promise<ConsoleSession & { readonly cookieValue: string }> {
  const endsAtSeconds = Math.floor(nowMs / 1000) + SESSION_SECONDS;
  const body = `${newId(fillRandom)}.${endsAtSeconds}.${operator}.${base64url.encode(name)}`;
  const sign = await signerOf(secrets, operator);
  assert(sign !== undefined, "only an operator signs in");
  return {
    cookieValue: `${body}.${await sign(`cookie:${body}`)}`,
    key: await sign(`key:${body}`),
    expiresAtMs: endsAtSeconds * 1000,
    operator,
    name,
  };
}

export async function readSession(
  secrets: Secrets,
  cookieValue: string,
  nowMs: number,
): Promise<ConsoleSession | undefined> {
  const [, body = "", endsAtSeconds = "", operator = "", name = "", signature = ""] = COOKIE.exec(cookieValue) ?? [];
  const sign = await signerOf(secrets, operator);
  if (sign === undefined || !(await isSameText(signature, await sign(`cookie:${body}`)))) return undefined;
  const expiresAtMs = Number(endsAtSeconds) * 1000;
  if (expiresAtMs <= nowMs) return undefined;
  return {
    key: await sign(`key:${body}`),
    expiresAtMs,
    operator,
    name: new TextDecoder().decode(base64url.decode(name)),
  };
}

/** Never sent to the application: it is only for our own paths. (That rules out the prefix `__Host-`.) */
export function sessionCookie({
  secure,
  value,
}: {
  readonly secure: boolean;
  readonly value: string | undefined;
}): string {
  return serialize(cookieName(secure), value ?? "", {
    path: COOKIE_PATH,
    httpOnly: true,
    sameSite: "Strict",
    secure,
    maxAge: value === undefined ? 0 : SESSION_SECONDS,
  });
}

export function cookieValueOf(header: string | null, { secure }: { readonly secure: boolean }): string | undefined {
  const name = cookieName(secure);
  return header === null ? undefined : parse(header, name)[name];
}

function cookieName(secure: boolean): string {
  return secure ? "__Secure-sluice-console" : "sluice-console";
}

type Signer = (text: string) => Promise<string>;

/**
 * It includes the signing keys, so that operator tokens cannot be guessed offline from a cookie. Undefined for an
 * unknown operator.
 */
async function signerOf({ operators, signingKeys }: Secrets, operator: string): Promise<Signer | undefined> {
  const token = operators.find(({ name }) => name === operator)?.token;
  if (token === undefined) return undefined;
  const secret = await crypto.subtle.digest("SHA-256", encode(JSON.stringify(["sluice-console", token, signingKeys])));
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (text) => base64url.encode(new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(text))));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
