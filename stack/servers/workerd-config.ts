import { compatibilityDate } from "workerd";
import { SPECIAL_ADDRESS_BLOCKS } from "../../shared/net/public-address.ts";

type WorkerdConfig = {
  /** Loopback by default. */
  readonly host?: string;
  readonly port: number;
  readonly originAddress: string;
  readonly storeAddress?: string;
  /** Whether upstreams of queues may be on this machine or in a private network. */
  readonly allowsPrivateTargets: boolean;
  readonly variableNames: readonly string[];
};

/** Cloudflare's limit per isolate; without a bound V8 lets the heap grow to several times that under load. */
const HEAP_MB_MAX = 128;

/** The Cap'n Proto text that workerd is started with. */
export function workerdConfig(configuration: WorkerdConfig): string {
  const { host = "127.0.0.1", port, originAddress, storeAddress, allowsPrivateTargets, variableNames } = configuration;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const variables = variableNames.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`);
  const bindings = [
    '(name = "ORIGIN", service = "origin")',
    '(name = "UPSTREAMS", service = "upstreams")',
    ...variables,
  ].join(",\n    ");
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ["--max-heap-size=${HEAP_MB_MAX}"],
  services = [
    (name = "edge", worker = .edge),
    (name = "origin", external = (address = ${text(originAddress)}, http = ())),
    (name = "upstreams", ${allowsPrivateTargets ? ANYWHERE : PUBLIC_INTERNET}),
    (name = "outbound", ${outbound(storeAddress)})
  ],
  sockets = [(name = "http", address = ${text(address)}, http = (), service = "edge")]
);

const edge :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${text(compatibilityDate)},
  globalOutbound = "outbound",
  bindings = [
    ${bindings}
  ]
);
`;
}

/** With a store on this machine the worker can reach that one address and nothing else, whatever URL it is given. */
function outbound(storeAddress: string | undefined): string {
  if (storeAddress === undefined) return PUBLIC_INTERNET;
  return `external = (address = ${text(storeAddress)}, http = ())`;
}

/** workerd checks the address that it connects to, whatever name it was resolved from. */
const PUBLIC_INTERNET = `network = (allow = ["public"], deny = [${SPECIAL_ADDRESS_BLOCKS.map(text).join(", ")}], tlsOptions = (trustBrowserCas = true))`;
const ANYWHERE = 'network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))';

/** A Cap'n Proto string literal takes the same escapes as JSON for everything that occurs here. */
function text(value: string): string {
  return JSON.stringify(value);
}
