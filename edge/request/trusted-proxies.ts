import { parseAddress } from "../../shared/net/ip-address.ts";
import { type IpRange, isInRange } from "../../shared/net/ip-range.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

/**
 * Address, protocol and host of the visitor, as far as they are known. Without a trusted proxy only the peer's address
 * is: the protocol and the host are then those of the request.
 */
export type Claims = {
  readonly address: string | undefined;
  readonly protocol: "http" | "https" | undefined;
  readonly host: string | undefined;
};

type Arrival = {
  /** The address at the other end of the connection, as the platform reports it. */
  readonly peer: string | undefined;
  readonly trusted: readonly IpRange[];
  readonly header: (name: string) => string | null;
};

/**
 * Reads `Forwarded` (RFC 7239) and `X-Forwarded-*` of a request whose peer is a trusted proxy. The visitor is the
 * rightmost address that is not a trusted proxy itself: everything left of it was sent by the visitor. An address that
 * cannot be read ends the search without a result, because a wrong address is worse than none. Most proxies set one
 * kind of header and pass the other on as the visitor sent it, so two kinds that contradict each other are refused.
 */
export function claimsOfProxies({ peer, trusted, header }: Arrival): Result<Claims, "contradictory"> {
  const isTrusted = (text: string) => isInOneOf(trusted, text);
  if (peer === undefined || !isTrusted(peer)) return ok({ address: peer, protocol: undefined, host: undefined });
  const forwarded = parseForwarded(header("forwarded"));
  if (forwarded === undefined) return fail("contradictory");
  const standard = claimsOf(forwarded, isTrusted);
  const common = claimsOf(elementsOfLists(header), isTrusted);
  if (
    !(agree(standard.hop, common.hop) && agree(standard.protocol, common.protocol) && agree(standard.host, common.host))
  ) {
    return fail("contradictory");
  }
  const host = common.host ?? standard.host;
  if (host !== undefined && !HOST.test(host)) return fail("contradictory");
  const hop = common.hop ?? standard.hop;
  return ok({ address: hop === undefined ? peer : hop.address, protocol: common.protocol ?? standard.protocol, host });
}

/** Nothing that would end the authority early or split it. Whether it is a host is for the URL parser to say. */
const HOST = /^[^\s/?#@\\,]+$/;

/** Undefined where a header says nothing. */
type Heard = {
  readonly hop: { readonly address: string | undefined } | undefined;
  readonly protocol: "http" | "https" | undefined;
  readonly host: string | undefined;
};

/** The visitor's own element: the one that the outermost trusted proxy wrote. */
function claimsOf(elements: readonly ForwardedElement[], isTrusted: (text: string) => boolean): Heard {
  let at = elements.length - 1;
  while (at > 0 && isTrusted(addressIn(elements[at]?.for) ?? "")) at--;
  const element = elements[at];
  const hop = element?.for === undefined ? undefined : { address: addressIn(element.for) };
  return { hop, protocol: protocolOf(element?.proto), host: element?.host };
}

/**
 * The three lists as elements of `Forwarded`. A list of another length than that of addresses says only what the
 * nearest proxy saw.
 */
function elementsOfLists(header: Arrival["header"]): readonly ForwardedElement[] {
  const addresses = listOf(header("x-forwarded-for"));
  const [protocols, hosts] = [listOf(header("x-forwarded-proto")), listOf(header("x-forwarded-host"))];
  const valueAt = (list: readonly string[], index: number) =>
    list.length === addresses.length ? list[index] : list.at(-1);
  const indexes = addresses.length === 0 ? [undefined] : addresses.keys();
  return [...indexes].map((index) => ({
    for: index === undefined ? undefined : addresses[index],
    proto: index === undefined ? protocols.at(-1) : valueAt(protocols, index),
    host: index === undefined ? hosts.at(-1) : valueAt(hosts, index),
  }));
}

function listOf(value: string | null): readonly string[] {
  return value === null ? [] : value.split(",").map((entry) => entry.trim());
}

const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/**
 * `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::7`, `[2001:db8::7]:4711`; undefined for `unknown` and what else hides an
 * address.
 */
function addressIn(written: string | undefined): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(written ?? "") ?? [];
  const address = ipv6 ?? ipv4 ?? written ?? "";
  return parseAddress(address) === undefined ? undefined : address;
}

const PROTOCOLS: Readonly<Record<string, "http" | "https">> = {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
};

function protocolOf(written: string | undefined): "http" | "https" | undefined {
  const name = written?.toLowerCase() ?? "";
  return Object.hasOwn(PROTOCOLS, name) ? PROTOCOLS[name] : undefined;
}

function agree(a: Heard["hop"] | string, b: Heard["hop"] | string): boolean {
  if (a === undefined || b === undefined) return true;
  return comparable(a) === comparable(b);
}

function comparable(value: NonNullable<Heard["hop"]> | string): string {
  if (typeof value === "string") return value.toLowerCase();
  return value.address === undefined ? "" : (parseAddress(value.address) ?? []).join();
}

function isInOneOf(ranges: readonly IpRange[], text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && ranges.some((range) => isInRange(address, range));
}

/** One proxy's element of `Forwarded`, as far as it matters here. */
export type ForwardedElement = {
  readonly for?: string | undefined;
  readonly proto?: string | undefined;
  readonly host?: string | undefined;
};

/** RFC 7239, 4: pairs separated by semicolons, elements by commas; a value is a token or a quoted string. */
const PAIR = /\s*([!#$%&'*+\-.^`|~\w]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))\s*(;|,|$)/y;
/** More proxies than any request passes. */
const PAIRS_MAX = 64;

/**
 * Undefined for a text that cannot be read, or that says one thing twice. Parameters that are not known here are
 * skipped.
 */
function parseForwarded(value: string | null): readonly ForwardedElement[] | undefined {
  if (value === null || value.trim() === "") return [];
  const elements: Map<string, string>[] = [new Map()];
  PAIR.lastIndex = 0;
  for (let pairs = 0; pairs < PAIRS_MAX; pairs++) {
    const [whole, name = "", quoted, token, end] = PAIR.exec(value) ?? [];
    const element = elements.at(-1);
    if (whole === undefined || element === undefined || element.has(name.toLowerCase())) return undefined;
    element.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? token ?? "");
    if (end === "")
      return elements.map((pairsOf) => ({
        for: pairsOf.get("for"),
        proto: pairsOf.get("proto"),
        host: pairsOf.get("host"),
      }));
    if (end === ",") elements.push(new Map());
  }
  return undefined;
}
