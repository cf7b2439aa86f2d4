/** An origin steers the gate with headers of this prefix; they are between the two and nobody else's business. */
const OURS = "x-sluice-";

/** Of RFC 9110, 7.6.1, those that the runtime does not already keep back by itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["proxy-authenticate", "proxy-authentication-info", "proxy-connection"]);

/** Removes from an origin's headers what is not for the client, and names the request. The rest passes as it came. */
export function finishResponseHeaders(headers: Headers, requestId: string): void {
  let removed: string[] | undefined;
  for (const name of headers.keys()) {
    if (name === "connection") removed = namedInConnection(headers, removed);
    else if (name.startsWith(OURS) || HOP_BY_HOP.has(name)) removed = [...(removed ?? []), name];
  }
  if (removed !== undefined) for (const name of removed) headers.delete(name);
  headers.set("x-request-id", requestId);
}

const NAMES_NOBODY: ReadonlySet<string> = new Set(["keep-alive", "close"]);
const HEADER_NAME = /^[!#$%&'*+\-.^`|~\w]+$/;

function namedInConnection(headers: Headers, removed: string[] | undefined): string[] | undefined {
  const value = headers.get("connection") ?? "";
  if (NAMES_NOBODY.has(value)) return removed;
  const names = value.split(",").map((name) => name.trim().toLowerCase());
  return [...(removed ?? []), ...names.filter((name) => HEADER_NAME.test(name) && !IS_FRAMING.has(name))];
}

/** An origin that names these by mistake would leave the client with a body it cannot read. */
const IS_FRAMING: ReadonlySet<string> = new Set(["content-length", "content-encoding", "content-type", "set-cookie"]);
