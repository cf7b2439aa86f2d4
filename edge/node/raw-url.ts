import type { IncomingMessage } from "node:http";

/**
 * The URL of a request as `plainTarget` wants it: the target exactly as it came over the wire, behind the host it was
 * sent to. Nothing is resolved or encoded here. A target or a Host of another form than a plain request has is left out,
 * so that the one reader of URLs refuses it. (Bytes beyond ASCII never get here: Node's parser refuses them in a target.)
 */
export function rawUrl({ url = "", rawHeaders }: IncomingMessage): string {
  const site = `http://${hostOf(rawHeaders) ?? ""}`;
  return url.startsWith("/") ? site + url : site;
}

/** Nothing that would end the authority early or split it: what stands here is put between `http://` and the path. */
const HOST = /^[^\s/?#@\\]+$/;

/** Undefined when there is none, or more than one: two servers would each pick another. */
function hostOf(rawHeaders: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "host") continue;
    if (host !== undefined) return undefined;
    host = rawHeaders[at + 1] ?? "";
  }
  return host !== undefined && HOST.test(host) ? host : undefined;
}
