import { compatibilityDate } from "workerd";

type WorkerdConfig = {
  readonly port: number;
  readonly originAddress: string;
  readonly storeAddress?: string;
  readonly variableNames: readonly string[];
};

/** As much as Cloudflare gives an isolate; without a bound V8 lets the heap grow to several times that under load. */
const HEAP_MB_MAX = 128;

/** The Cap'n Proto text that workerd is started with. */
export function workerdConfig({ port, originAddress, storeAddress, variableNames }: WorkerdConfig): string {
  const variables = variableNames.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`);
  const bindings = ['(name = "ORIGIN", service = "origin")', ...variables].join(",\n    ");
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ["--max-heap-size=${HEAP_MB_MAX}"],
  services = [
    (name = "edge", worker = .edge),
    (name = "origin", external = (address = ${text(originAddress)}, http = ())),
    (name = "outbound", ${outbound(storeAddress)})
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "edge")]
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

/** With a store on this machine the worker can reach that one address and nothing else, whatever URL it is talked into. */
function outbound(storeAddress: string | undefined): string {
  if (storeAddress === undefined) return 'network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))';
  return `external = (address = ${text(storeAddress)}, http = ())`;
}

/** A Cap'n Proto string literal takes the same escapes as JSON for everything that occurs here. */
function text(value: string): string {
  return JSON.stringify(value);
}
