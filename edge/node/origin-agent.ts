import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { lookupPublic } from "./lookup-public.ts";

/** The way to one origin: kept connections, and a bound on how many there are. */
export type OriginAgent = {
  /** The origin's own name, as it stands in Host. */
  readonly host: string;
  readonly request: (options: OriginRequestOptions) => ClientRequest;
  readonly close: () => void;
};

type OriginRequestOptions = Required<Pick<RequestOptions, "method" | "path">> & { readonly headers: string[] };

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
  return { host, request: (asked) => open({ ...address, ...asked }), close: () => agent.destroy() };
}
