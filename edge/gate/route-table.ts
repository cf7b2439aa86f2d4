import type { Route } from "../queue/route.ts";

/**
 * Which queue stands in front of a URL. The most specific route wins: an exact host before `*.suffix` before `*`, then the
 * longest path. When in doubt a route covers more, never less: nobody gets past by spelling an address another way.
 */
export type RouteTable = {
  /** `site` is scheme and authority, `path` the path as the proxy has normalised it. */
  readonly find: (target: { readonly site: string; readonly path: string }) => FoundRoute | undefined;
};

export type FoundRoute = Route & { readonly pathRank: number };

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const compiled = compiledInOrder(routes);
  return {
    find({ site, path }) {
      if (compiled.length === 0) return undefined;
      const plainHost = hostForMatching(site);
      const plainPath = pathForMatching(path);
      return compiled.find((route) => route.matchesHost(plainHost) && route.matchesPath(plainPath))?.route;
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

export type PlainHost = { readonly name: string; readonly withPort: string };

type CompiledRoute = {
  readonly route: FoundRoute;
  readonly hostRank: number;
  readonly pathRank: number;
  readonly matchesHost: (host: PlainHost) => boolean;
  readonly matchesPath: (path: string) => boolean;
};

function compile(route: Route): CompiledRoute {
  const path = compilePath(route.path);
  return { route: { ...route, pathRank: path.pathRank }, ...compileHost(route.host), ...path };
}

/** Longer than any host name, so that every exact host comes before every suffix. */
const EXACT_HOST_RANK = 1_000;

export function compileHost(written: string): Pick<CompiledRoute, "hostRank" | "matchesHost"> {
  const pattern = written.toLowerCase();
  if (pattern === "*") return { hostRank: 0, matchesHost: () => true };
  const named = (host: PlainHost) => (PORT.test(pattern) ? host.withPort : host.name);
  if (!pattern.startsWith("*.")) {
    return { hostRank: EXACT_HOST_RANK + pattern.length, matchesHost: (host) => named(host) === pattern };
  }
  const suffix = pattern.slice(1);
  return { hostRank: suffix.length, matchesHost: (host) => named(host).endsWith(suffix) };
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

const PORT = /:\d+$/;
/** ASCII without an escape or a parameter: nothing but its case can be told in two ways. */
const PLAIN = /^[\x21-\x24\x26-\x3A\x3C-\x7E]*$/;
/** Some servers drop what follows a semicolon in a segment, even one that came as an escape. */
const PARAMETER = /;[^/]*/g;

/**
 * The path as an origin might compare it that ignores case and decodes every escape. The proxy has normalised it before:
 * a path that could be decoded into another one was refused there.
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

let lastSite = "";
let lastPlainHost: PlainHost = { name: "", withPort: "" };

/** As URL parsers read it (`127.1`, `SHOP.example`), without the dot that ends a full name. Nearly all requests name the same. */
export function hostForMatching(site: string): PlainHost {
  if (site !== lastSite) {
    const { protocol, hostname, port } = new URL(site);
    const name = hostname.replace(/\.$/, "");
    lastPlainHost = { name, withPort: `${name}:${port || (protocol === "https:" ? "443" : "80")}` };
    lastSite = site;
  }
  return lastPlainHost;
}
