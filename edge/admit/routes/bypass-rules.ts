import { type IpAddress, parseAddress } from "../../../shared/net/ip-address.ts";
import { type IpRange, isInRange, parseRange } from "../../../shared/net/ip-range.ts";
import { isSameBytes, sha256 } from "../../../shared/tokens/same-bytes.ts";
import type { BypassRule } from "../../line/bypass-rule.ts";
import { compileHost, type PlainHost, pathRankOf, plainHost } from "./route-table.ts";

/**
 * The requests that bypass every queue. A route covers more when in doubt, a bypass rule less: it matches only the path
 * that it names and the paths below it, in that exact spelling. A public path yields to a more specific route; a
 * network or a secret bypasses the queue wherever the rule matches.
 */
export type BypassRules = {
  /** Removed from every request: no secret of the gate reaches an application, its logs or its sub-requests. */
  readonly headerNames: readonly string[];
  /** At once unless a secret has to be compared. */
  readonly fits: (arrival: Arrival) => boolean | Promise<boolean>;
};

export type Arrival = {
  readonly site: string;
  /** As the proxy has normalised it. */
  readonly path: string;
  /** As the platform vouches for it, never as the client says. */
  readonly address: string | undefined;
  readonly header: (name: string) => string | null;
  /** How specific the route is that leads to the queue. */
  readonly routePathRank: number;
};

export function createBypassRules(rules: readonly BypassRule[]): BypassRules | undefined {
  if (rules.length === 0) return undefined;
  const compiled = rules.map(compile);
  const headerNames = [...new Set(rules.flatMap(({ header }) => header?.name ?? []))];
  return {
    headerNames,
    fits(arrival) {
      const facts = factsOf(arrival);
      const candidates = compiled.filter((rule) => rule.fitsWithoutSecret(facts));
      if (candidates.some(({ secret }) => secret === undefined)) return true;
      const shown = candidates.filter(({ secret }) =>
        isPresentable(secret === undefined ? null : arrival.header(secret.name)),
      );
      return shown.length > 0 && fitsSecret(shown, arrival);
    },
  };
}

type Facts = {
  readonly host: PlainHost;
  /** Undefined when servers could read it in more than one way. */
  readonly path: string | undefined;
  readonly address: IpAddress | undefined;
  readonly routePathRank: number;
};

type CompiledRule = {
  readonly fitsWithoutSecret: (facts: Facts) => boolean;
  readonly secret: { readonly name: string; readonly digest: Uint8Array } | undefined;
};

function compile({ host, path, cidrs, header }: BypassRule): CompiledRule {
  const { matchesHost } = compileHost(host);
  const matchesPath =
    path === undefined
      ? () => true
      : compilePath(path, { isForEverybody: cidrs === undefined && header === undefined });
  const ranges = cidrs?.flatMap((cidr) => rangesOf(cidr));
  return {
    fitsWithoutSecret: (facts) =>
      matchesHost(facts.host) && matchesPath(facts) && (ranges === undefined || isInOneOf(ranges, facts.address)),
    secret: header === undefined ? undefined : { name: header.name, digest: bytesOfHex(header.secretSha256) },
  };
}

function compilePath(
  pattern: string,
  { isForEverybody }: { readonly isForEverybody: boolean },
): (facts: Facts) => boolean {
  const isPrefix = pattern.endsWith("/*");
  const text = isPrefix ? pattern.slice(0, -1) : pattern;
  const rank = pathRankOf(pattern);
  return ({ path, routePathRank }) => {
    if (path === undefined || (isForEverybody && rank < routePathRank)) return false;
    return isPrefix ? path.startsWith(text) : path === text;
  };
}

function factsOf({ site, path, address, routePathRank }: Arrival): Facts {
  return {
    host: plainHost(site),
    path: isReadInOneWay(path) ? path : undefined,
    address: address === undefined ? undefined : parseAddress(address),
    routePathRank,
  };
}

/** Characters that some server might decode, cut off or replace: a second escape, a parameter, a separator. */
const READ_DIFFERENTLY = /[%;\\?#]/;

/** The proxy has refused dot segments and encoded slashes. Here not even a letter may have a second reading. */
export function isReadInOneWay(path: string): boolean {
  if (!path.includes("%")) return true;
  const decoded = decodeURIComponent(path);
  return !READ_DIFFERENTLY.test(decoded) && decoded.normalize("NFKC") === decoded;
}

function rangesOf(cidr: string): readonly IpRange[] {
  const range = parseRange(cidr);
  return range.ok ? [range.value] : [];
}

function isInOneOf(ranges: readonly IpRange[], address: IpAddress | undefined): boolean {
  return address !== undefined && ranges.some((range) => isInRange(address, range));
}

/** Longer than any secret that can be set. */
const SECRET_CHARS_MAX = 256;

function isPresentable(value: string | null): boolean {
  return value !== null && value !== "" && value.length <= SECRET_CHARS_MAX;
}

/** Every rule is looked at, whichever fits: the time that this takes tells nothing. */
async function fitsSecret(candidates: readonly CompiledRule[], { header }: Arrival): Promise<boolean> {
  const verdicts = candidates.map(async ({ secret }) => {
    if (secret === undefined) return false;
    return isSameBytes(await sha256(header(secret.name) ?? ""), secret.digest);
  });
  return (await Promise.all(verdicts)).includes(true);
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
