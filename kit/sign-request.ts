import { createHash, createHmac } from "node:crypto";

/** The client side of signing, written from the documentation, not from the code that verifies it. */
export type SignOptions = {
  readonly id: string;
  readonly secret: string;
  readonly method: string;
  /** From `/api/v1` on, with its query. */
  readonly path: string;
  readonly body?: string;
  readonly timestampMs?: number;
  readonly windowMs?: number;
  readonly nonce?: string;
};

export function signRequest({
  id,
  secret,
  method,
  path,
  body = "",
  timestampMs = Date.now(),
  windowMs,
  nonce,
}: SignOptions): Record<string, string> {
  const [plain = "", query = ""] = path.split("?");
  const sorted = query.split("&").toSorted().join("&");
  const lines = [
    "SLUICE-HMAC-SHA256",
    timestampMs,
    windowMs ?? 5000,
    nonce ?? "",
    method,
    plain,
    sorted,
    createHash("sha256").update(body).digest("hex"),
  ];
  return {
    "x-api-key": id,
    "x-api-timestamp": String(timestampMs),
    "x-api-signature": createHmac("sha256", secret).update(lines.join("\n")).digest("hex"),
    ...(windowMs === undefined ? {} : { "x-api-window": String(windowMs) }),
    ...(nonce === undefined ? {} : { "x-api-nonce": nonce }),
  };
}
