import type { ServerResponse } from "node:http";

const RETRY_AFTER_SECONDS = "1";

/** One write per answer: the length is known, so header and body leave together. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  if (res.destroyed) return;
  const length = Buffer.byteLength(json);
  const headers = ["content-type", "application/json", "content-length", String(length), "cache-control", "no-store"];
  if (status === 503) headers.push("retry-after", RETRY_AFTER_SECONDS);
  res.writeHead(status, headers);
  // ASCII text has the same bytes in latin1, which is copied instead of encoded.
  res.end(json, length === json.length ? "latin1" : "utf8");
}
