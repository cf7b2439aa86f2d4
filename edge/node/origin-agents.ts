import { type LookupAddress, lookup } from "node:dns";
import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "../../shared/net/public-address.ts";

/** The ways to the gate's origin and to the upstreams of single queues, which are opened when first asked for. */
export type OriginAgents = {
  readonly origin: OriginAgent;
  readonly to: (targetUrl: string) => OriginAgent;
  readonly close: () => void;
};

type AgentsOptions = { readonly site: string; readonly allowsPrivateTargets: boolean };

/** As many as there may be queues. */
const UPSTREAMS_MAX = 1_000;

export function createOriginAgents({ site, allowsPrivateTargets }: AgentsOptions): OriginAgents {
  const origin = createOriginAgent(site);
  const upstreams = new Map<string, OriginAgent>();
  return {
    origin,
    to(targetUrl) {
      const known = upstreams.get(targetUrl);
      if (known !== undefined) return known;
      const agent = createOriginAgent(targetUrl, { isPublicOnly: !allowsPrivateTargets });
      // Let go, not closed: requests may be under way, and idle connections end by themselves.
      if (upstreams.size >= UPSTREAMS_MAX) upstreams.clear();
      upstreams.set(targetUrl, agent);
      return agent;
    },
    close() {
      origin.close();
      for (const agent of upstreams.values()) agent.close();
    },
  };
}

/** The way to one origin: kept connections, and a bound on how many there are. */
export type OriginAgent = {
  /** The upstream's own name, for Host. */
  readonly host: string;
  /** `request` of node:http or node:https, and what every request to this origin gives it. */
  readonly open: (options: RequestOptions) => ClientRequest;
  readonly address: RequestOptions;
  readonly close: () => void;
};

/** Streams and slow answers hold one each. Requests beyond wait for one, on the origin's time. */
const SOCKETS_MAX = 4_096;
const IDLE_SOCKETS_MAX = 256;
/** Shorter than any usual server keeps them: the side that uses a connection again must be the side that closes it. */
const IDLE_MS_MAX = 4_000;

type AgentOptions = {
  /** Connect to public addresses only, whatever the name resolves to. */
  readonly isPublicOnly?: boolean;
};

export function createOriginAgent(site: string, { isPublicOnly = false }: AgentOptions = {}): OriginAgent {
  const { protocol, hostname, host, port } = new URL(site);
  const isSecure = protocol === "https:";
  const options = { keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: IDLE_SOCKETS_MAX, timeout: IDLE_MS_MAX };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const open = isSecure ? requestHttps : requestHttp;
  const address = {
    agent,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isSecure ? 443 : 80) : Number(port),
    ...(isPublicOnly && { lookup: lookupPublic }),
  };
  return { host, open, address, close: () => agent.destroy() };
}

/**
 * Resolves a name to its public addresses, and fails if it has none: the owner of a name could point it to one of our
 * machines. Called for each new connection, so a later change of the name gains nothing. (Addresses never come here.)
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const [first, ...rest] = addresses.filter(({ address }) => isPublicAddress(address));
    if (first === undefined) return callback(new Error("the name has no public address"), []);
    return answer(options.all === true, [first, ...rest], callback);
  });
};

function answer(
  wantsAll: boolean,
  addresses: readonly [LookupAddress, ...LookupAddress[]],
  callback: Parameters<LookupFunction>[2],
): void {
  const [{ address, family }] = addresses;
  if (wantsAll) callback(null, [...addresses]);
  else callback(null, address, family);
}
