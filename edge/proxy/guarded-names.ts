/**
 * Header names that a client may not send to the origin, whatever their value. The origin would believe them: they say
 * who the client is, which URL was asked for, or they are ours. The edge sets those it vouches for itself afterwards.
 */
export function isGuardedName(lowerCaseName: string): boolean {
  const known = verdicts.get(lowerCaseName);
  if (known !== undefined) return known;
  const verdict = judge(lowerCaseName);
  if (verdicts.size < VERDICTS_MAX && lowerCaseName.length <= NAME_LENGTH_MAX) verdicts.set(lowerCaseName, verdict);
  return verdict;
}

/** Clients use the same two dozen names over and over. The bounds keep a flood of invented names from filling the memory. */
const verdicts = new Map<string, boolean>();
const VERDICTS_MAX = 500;
const NAME_LENGTH_MAX = 60;

/** Many servers turn `-` into `_` on the way to the application, so that `x_sluice_pass` would arrive as `x-sluice-pass`. */
function judge(name: string): boolean {
  const dashed = name.replaceAll("_", "-");
  return HOP_BY_HOP.has(dashed) || ABOUT_THE_CLIENT.has(dashed) || GUARDED_PREFIXES.some((prefix) => dashed.startsWith(prefix));
}

/** RFC 9110, 7.6.1, and the names of older practice. They speak about one connection and end with it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // A CGI application would take it for the HTTP_PROXY of its environment.
  "proxy",
  // The edge answers the expectation by itself, because its HTTP client cannot hand a 100 back.
  "expect",
]);

const ABOUT_THE_CLIENT: ReadonlySet<string> = new Set([
  "cdn-loop",
  "client-ip",
  "fastly-client-ip",
  "fastly-ssl",
  "forwarded",
  "front-end-https",
  "remote-addr",
  "true-client-ip",
  "via",
  "wl-proxy-client-ip",
  "x-azure-clientip",
  "x-azure-socketip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-host",
  "x-http-destinationurl",
  "x-http-host-override",
  "x-proxyuser-ip",
  "x-real-ip",
  "x-remote-addr",
  "x-remote-ip",
  "x-request-id",
  "x-rewrite-url",
  "x-url-scheme",
]);

const GUARDED_PREFIXES: readonly string[] = ["x-sluice-", "x-forward", "x-original-", "x-envoy-", "cf-", "proxy-", "x-proxy-"];
