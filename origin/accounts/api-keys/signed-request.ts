import { createHash } from "node:crypto";
import { fail, ok, type Result } from "../../../shared/result.ts";

/** The credentials of a signed request, instead of an access token. */
export type SignedRequest = {
  readonly keyId: string;
  readonly timestampMs: number;
  readonly windowMs: number;
  readonly signature: string;
  /** The signed text. */
  readonly text: string;
};

export type Received = {
  readonly method: string;
  readonly url: string;
  readonly headers: Pick<Headers, "get" | "has">;
  readonly body: Buffer;
};

const KEY_ID = /^[\w-]{22}$/;
const TIMESTAMP = /^\d{13}$/;
const SIGNATURE = /^[0-9a-f]{64}$/;
const NONCE = /^[\w-]{0,64}$/;
const WINDOW = /^[1-9]\d{0,4}$/;

const WINDOW_MS_DEFAULT = 5_000;
const WINDOW_MS_MAX = 10_000;
const SCHEME = "SLUICE-HMAC-SHA256";
const EMPTY_DIGEST = createHash("sha256").digest("hex");

/**
 * Reads the headers and builds the signed text, one part per line: the scheme, the time, the window, the nonce, the
 * method, the path as sent, the query's parts sorted by their bytes, and the SHA-256 of the body.
 */
export function readSignedRequest({ method, url, headers, body }: Received): Result<SignedRequest, "malformed"> {
  const keyId = headers.get("x-api-key") ?? "";
  const timestamp = headers.get("x-api-timestamp") ?? "";
  const signature = headers.get("x-api-signature") ?? "";
  const window = headers.get("x-api-window") ?? String(WINDOW_MS_DEFAULT);
  const nonce = headers.get("x-api-nonce") ?? "";
  const isWellFormed =
    KEY_ID.test(keyId) &&
    TIMESTAMP.test(timestamp) &&
    SIGNATURE.test(signature) &&
    NONCE.test(nonce) &&
    WINDOW.test(window);
  if (!isWellFormed || Number(window) > WINDOW_MS_MAX) return fail("malformed");
  const [path = "", query = ""] = pathOf(url).split("?", 2);
  const digest = body.length === 0 ? EMPTY_DIGEST : createHash("sha256").update(body).digest("hex");
  const text = [SCHEME, timestamp, window, nonce, method, path, sortedQuery(query), digest].join("\n");
  return ok({ keyId, timestampMs: Number(timestamp), windowMs: Number(window), signature, text });
}

/** Without a parser: the signature covers what was sent. */
function pathOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

function sortedQuery(query: string): string {
  return query.includes("&") ? query.split("&").toSorted(byBytes).join("&") : query;
}

function byBytes(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
