import { createHash, createHmac } from "node:crypto";

/** An API key of the venue. */
export type ApiKey = { readonly id: string; readonly secret: string };

export type ToSign = {
  readonly method: string;
  /** From `/api/v1` on; without a query. */
  readonly path: string;
  readonly body: string;
  readonly timestampMs: number;
  /** Two equal requests within a millisecond differ by it. */
  readonly nonce: string;
};

/** The longest that the venue takes: a request that had to wait for a connection is still good. */
const WINDOW_MS = 10_000;

/** What a program sends in place of an access token, as the venue's OpenAPI document says. */
export function signedHeaders({ id, secret }: ApiKey, { method, path, body, timestampMs, nonce }: ToSign): Record<string, string> {
  const digest = createHash("sha256").update(body).digest("hex");
  const text = ["SLUICE-HMAC-SHA256", timestampMs, WINDOW_MS, nonce, method, path, "", digest].join("\n");
  return {
    "x-api-key": id,
    "x-api-timestamp": String(timestampMs),
    "x-api-window": String(WINDOW_MS),
    "x-api-nonce": nonce,
    "x-api-signature": createHmac("sha256", secret).update(text).digest("hex"),
  };
}
