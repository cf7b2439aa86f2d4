import type { Route } from "../queue/route.ts";
import { compileHost, type HostPattern, isNameless, plainHost } from "./plain-host.ts";

/**
 * Which queue stands in front of a URL. The most specific route wins: an exact host before `*.suffix` before `*`, then the
 * longest path. When in doubt a route covers more, never less: nobody gets past by spelling an address another way.
 */
export type RouteTable = {
  /** `site` is scheme and authority, `path` the path as the proxy has normalised it. */
  readonly find: (target: { readonly site: string; readonly path: string }) => FoundRoute | undefined;
  /**
   * Of a host without a route at its path: "known" when another route names it, or when no route names any host at all. Otherwise the
   * address may be another name of a protected one. "nameless" is a host that no route could ever name.
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
