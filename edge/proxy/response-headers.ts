/**
 * Which headers of an origin's answer are not for the client: our own, which steer the gate, those about the connection
 * that the runtime does not keep back by itself, and those that the origin names in Connection. Undefined when there
 * are none, as nearly always: then the answer can pass as it is, which saves a copy of it.
 */
export function hiddenNames(headers: Headers): readonly string[] | undefined {
  let hidden: string[] | undefined;
  for (const name of [...headers.keys()]) {
    if (name === "connection") hidden = withNamedInConnection(hidden, headers);
    else if (name.startsWith(OURS) || HOP_BY_HOP.has(name)) hidden = [...(hidden ?? []), name];
  }
  return hidden;
}

/** For headers that can be written to: removes what is hidden, and names the request. */
export function finishResponseHeaders(headers: Headers, requestId: string): void {
  for (const name of hiddenNames(headers) ?? []) headers.delete(name);
  headers.set("x-request-id", requestId);
}

const OURS = "x-sluice-";

/** Of RFC 9110, 7.6.1, those that the runtime would pass on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["proxy-authenticate", "proxy-authentication-info", "proxy-connection"]);

const NAMES_NOBODY: ReadonlySet<string> = new Set(["keep-alive", "close"]);
const HEADER_NAME = /^[!#$%&'*+\-.^`|~\w]+$/;

function withNamedInConnection(hidden: string[] | undefined, headers: Headers): string[] | undefined {
  const value = headers.get("connection") ?? "";
  if (NAMES_NOBODY.has(value)) return hidden;
  const names = value.split(",").map((name) => name.trim().toLowerCase());
  return [...(hidden ?? []), ...names.filter((name) => HEADER_NAME.test(name) && !DESCRIBES_BODY.has(name))];
}

/** An origin that names these by mistake would leave the client with a body it cannot read. */
const DESCRIBES_BODY: ReadonlySet<string> = new Set(["content-length", "content-encoding", "content-type", "set-cookie"]);
