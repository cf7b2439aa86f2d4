import { z } from "zod";
import { isAddress, isPublicAddress } from "../../shared/net/public-address.ts";

const TARGET_CHARS_MAX = 300;

/** Nothing that a URL parser would drop, repair or read as a path. */
const BARE_SITE = /^https?:\/\/[^\s\\/?#@]+\/?$/i;

/**
 * Where a queue's requests go in place of the gate's own origin: scheme, host and port. Kept as URL parsers write it.
 */
export const targetUrlSchema = z
  .string()
  .max(TARGET_CHARS_MAX)
  .refine(isBareSite, "must be http:// or https://, a host and perhaps a port, and nothing else")
  .overwrite((text) => (isBareSite(text) ? new URL(text).origin : text));

function isBareSite(text: string): boolean {
  return BARE_SITE.test(text) && URL.canParse(text) && new URL(text).port !== "0";
}

/** By these names a machine finds itself and its neighbours. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Whether a site is, by its name or address, on the public internet. The addresses of a name are known only at the
 * connection: there the runtimes check again.
 */
export function isPublicSite(site: string): boolean {
  if (!URL.canParse(site)) return false;
  const host = new URL(site).hostname.replace(/\.$/, "");
  if (isAddress(host)) return isPublicAddress(host);
  return host.includes(".") && !LOCAL_NAME.test(host);
}
