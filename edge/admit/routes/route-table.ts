import type { Route } from "../../line/route.ts";

/**
 * Finds the queue of a URL. The most specific route wins: an exact host before `*.suffix` before `*`, then the longest
 * path. When in doubt a route covers more, never less: another spelling of an address never bypasses the queue.
 */
export type RouteTable = {
  /** `site` is scheme and authority, `path` the path as the proxy has normalised it. */
  readonly find: (target: { readonly site: string; readonly path: string }) => FoundRoute | undefined;
  /**
   * Of a host without a route at its path: "known" when another route names it, or when no route names any host at all.
   * Otherwise the address may be another name of a protected one. "nameless" is a host that no route could ever name.
   */
  readonly hostOf: (target: { readonly site: string }) => "known" | "unknown" | "nameless";
};

export type FoundRoute = Route & { readonly pathRank: number };

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const compiled = compiledInOrder(routes);
  const withHost = compiled.filter(({ hostRank }) => hostRank > 0);
  return {
    find({ site, path }) {
      if (compiled.length === 0) return undefined;
      const host = plainHost(site);
      const plainPath = pathForMatching(path);
      return compiled.find((route) => route.matchesHost(host) && route.matchesPath(plainPath))?.route;
    },
    hostOf({ site }) {
      if (withHost.length === 0) return "known";
      const host = plainHost(site);
      if (isNameless(host)) return "nameless";
      return withHost.some(({ matchesHost }) => matchesHost(host)) ? "known" : "unknown";
    },
  };
}

/** In the order in which they are tried: of two that match, the first one counts. */
export function routesBySpecificity(routes: readonly Route[]): readonly Route[] {
  return compiledInOrder(routes).map(({ route }) => route);
}

function compiledInOrder(routes: readonly Route[]): readonly CompiledRoute[] {
  return routes.map(compile).toSorted((a, b) => b.hostRank - a.hostRank || b.pathRank - a.pathRank);
}

type CompiledRoute = HostPattern & {
  readonly route: FoundRoute;
  readonly pathRank: number;
  readonly matchesPath: (path: string) => boolean;
};

function compile(route: Route): CompiledRoute {
  const path = compilePath(route.path);
  return { route: { ...route, pathRank: path.pathRank }, ...compileHost(route.host), ...path };
}

/** `/trade/*` covers `/trade` too, and a trailing slash makes no other page: many servers do not tell them apart. */
function compilePath(pattern: string): Pick<CompiledRoute, "pathRank" | "matchesPath"> {
  const isPrefix = pattern.endsWith("*");
  const plain = pathForMatching(isPrefix ? pattern.slice(0, -1) : pattern);
  const bare = plain.endsWith("/") ? plain.slice(0, -1) : plain;
  const pathRank = plain.length * 2 + (isPrefix ? 0 : 1);
  if (isPrefix) return { pathRank, matchesPath: (path) => path.startsWith(plain) || path === bare };
  return { pathRank, matchesPath: (path) => path === bare || path === `${bare}/` };
}

/** The longer, the more specific; and a path before everything below it. */
export function pathRankOf(pattern: string): number {
  return compilePath(pattern).pathRank;
}

/** ASCII without an escape or a parameter: nothing but its case can be told in two ways. */
const PLAIN = /^[\x21-\x24\x26-\x3A\x3C-\x7E]*$/;
/** Some servers drop what follows a semicolon in a segment, even one that came as an escape. */
const PARAMETER = /;[^/]*/g;

/**
 * The path as an origin might compare it that ignores case and decodes every escape. The proxy has normalised it
 * before: a path that could be decoded into another one was refused there.
 */
function pathForMatching(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase();
  return decoded(path).replace(PARAMETER, "").normalize("NFKC").toUpperCase().toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A host in the one spelling in which hosts are compared. */
export type PlainHost = {
  /** Without a port. Empty for a host that no pattern can name. */
  readonly name: string;
  readonly withPort: string;
};

let lastSite = "";
let lastPlainHost: PlainHost = { name: "", withPort: "" };

/**
 * The only place that normalises a host. URL parsers read `127.1`, `SHOP.example`, `sh%6fp.example` and `[0:0::1]` in
 * one way; the dot that ends a full name is removed. A name with an empty label (`shop.test..`) is no name in DNS, and
 * servers disagree about it, so nothing matches it. Nearly all requests name the same host, so the last answer is kept.
 */
export function plainHost(site: string): PlainHost {
  if (site !== lastSite) {
    lastPlainHost = readHost(site);
    lastSite = site;
  }
  return lastPlainHost;
}

const NAMELESS: PlainHost = { name: "", withPort: "" };
const EMPTY_LABEL = /^\.|\.\.|\.$/;

function readHost(site: string): PlainHost {
  const { protocol, hostname, port } = new URL(site);
  const name = hostname.replace(/\.$/, "");
  if (name === "" || EMPTY_LABEL.test(name)) return NAMELESS;
  return { name, withPort: `${name}:${port || (protocol === "https:" ? "443" : "80")}` };
}

/** Whether a host has a name at all. */
function isNameless({ name }: PlainHost): boolean {
  return name === "";
}

/** Longer than any host name, so that every exact host comes before every suffix. */
const EXACT_HOST_RANK = 1_000;
const EVERY_HOST = "*";
const PORT = /:\d+$/;

export type HostPattern = {
  /** The higher, the more specific; 0 for every host. */
  readonly hostRank: number;
  readonly matchesHost: (host: PlainHost) => boolean;
};

/** `*`, a name, or `*.name`, with or without a port: without one, every port matches. */
export function compileHost(written: string): HostPattern {
  if (written === EVERY_HOST) return { hostRank: 0, matchesHost: () => true };
  const pattern = plainPattern(written);
  const compared = (host: PlainHost) => (PORT.test(written) ? host.withPort : host.name);
  if (!written.startsWith("*.")) {
    return { hostRank: EXACT_HOST_RANK + pattern.length, matchesHost: (host) => compared(host) === pattern };
  }
  const suffix = pattern.slice(1);
  return { hostRank: suffix.length, matchesHost: (host) => compared(host).endsWith(suffix) };
}

/**
 * A pattern in the spelling of the hosts that it is compared with. A text that is no host stays as it is, and matches
 * none.
 */
export function plainPattern(written: string): string {
  const [wildcard, rest] = written.startsWith("*.") ? ["*.", written.slice(2)] : ["", written];
  const site = `http://${rest}`;
  if (written === EVERY_HOST || !URL.canParse(site)) return written;
  const { name, withPort } = readHost(site);
  return wildcard + (PORT.test(written) ? withPort : name);
}
