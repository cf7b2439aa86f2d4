import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EdgeServer, startEdgeServer } from "../../../stack/servers/edge-server.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { measureFaultless } from "../http/http-load.ts";
import { startNodeServer } from "../http/node-server.ts";
import { pinProcess } from "../pinned.ts";

/**
 * The proxy compared with a worker that only forwards: the same workerd, binding and origin. workerd has its own core;
 * origin and load share the other one, and one side at a time is under load, so the ratio is that of the CPU time per
 * request. A third worker makes only the runtime calls that the proxy's promises need: the lower bound for a proxy in
 * JavaScript.
 */
export const proxyBenchmark: Benchmark = {
  name: "proxy",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const origin = await startOrigin();
    const proxy = await startWorker({ folder: join(folder, "proxy"), entryFile: PROXY_ENTRY, originPort: origin.port });
    const bare = await startWorker({
      folder: join(folder, "bare"),
      entryFile: await writeWorker(folder, BARE),
      originPort: origin.port,
    });
    const least = await startWorker({
      folder: join(folder, "least"),
      entryFile: await writeWorker(folder, LEAST),
      originPort: origin.port,
    });
    try {
      const rows: BenchmarkRow[] = [];
      for (const client of CLIENTS) rows.push(...(await compare(client, { proxy, bare, least, effort })));
      return rows;
    } finally {
      await Promise.all([proxy.stop(), bare.stop(), least.stop(), origin.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { rounds: 9, durationMs: 1_000, warmUpMs: 300 };
const QUICK = { rounds: 1, durationMs: 200, warmUpMs: 100 };

const SUBJECT_CORE = 1;
const OTHER_CORE = 0;
const CONNECTIONS = 32;
const AIM = 0.9;
const PROXY_ENTRY = fileURLToPath(new URL("../../../edge/bare/worker.ts", import.meta.url));
const TARGET = "/market/BTC-USD/book?depth=20";
const ANSWER = JSON.stringify({
  pair: "BTC-USD",
  bids: Array.from({ length: 20 }, (_, i) => [String(64_000 - i), "0.25"]),
});

type Client = { readonly name: string; readonly headers: Readonly<Record<string, string>> };

const CLIENTS: readonly Client[] = [
  {
    name: "a program with 5 headers",
    headers: {
      "user-agent": "python-requests/2.32.3",
      accept: "application/json",
      "accept-encoding": "gzip, deflate, br",
      authorization: "Bearer 5c1d8a0b6e0f4f7a9d3f2b1c0e8d7a6b",
    },
  },
  {
    name: "a browser with 12 headers",
    headers: {
      "user-agent":
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      "accept-language": "en-GB,en;q=0.9",
      "accept-encoding": "gzip, deflate, br, zstd",
      connection: "keep-alive",
      cookie: "session=5c1d8a0b6e0f4f7a9d3f2b1c0e8d7a6b; theme=dark",
      referer: "https://shop.example/market",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
      "sec-fetch-site": "same-origin",
      "upgrade-insecure-requests": "1",
    },
  },
];

type Sides = {
  readonly proxy: EdgeServer;
  readonly bare: EdgeServer;
  readonly least: EdgeServer;
  readonly effort: typeof FULL;
};

async function compare(client: Client, { proxy, bare, least, effort }: Sides): Promise<readonly BenchmarkRow[]> {
  const speed = (server: EdgeServer) => () => requestsPerSecond(server, client, effort);
  const unit = "requests/s";
  const proxied = await alternate({ rounds: effort.rounds, subject: speed(proxy), baseline: speed(bare) });
  const unavoidable = await alternate({ rounds: effort.rounds, subject: speed(least), baseline: speed(bare) });
  return [
    benchmarkRow({
      what: `GET of ${client.name} through the proxy, against a bare pass-through worker`,
      unit,
      aim: AIM,
      ...proxied,
    }),
    benchmarkRow({
      what: `GET of ${client.name} through the lower bound for these promises, against the same`,
      unit,
      aim: 0,
      ...unavoidable,
    }),
  ];
}

async function requestsPerSecond(
  { url }: EdgeServer,
  { headers }: Client,
  { durationMs, warmUpMs }: typeof FULL,
): Promise<number> {
  const load = {
    url: url + TARGET,
    headers,
    connections: CONNECTIONS,
    durationMs,
    warmUpMs,
    core: OTHER_CORE,
  } as const;
  return (await measureFaultless(load)).requestsPerSecond;
}

type WorkerOptions = { readonly folder: string; readonly entryFile: string; readonly originPort: number };

async function startWorker({ folder, entryFile, originPort }: WorkerOptions): Promise<EdgeServer> {
  const variables = {
    CLIENT_ADDRESS_FROM: "socket",
    UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1",
    UPSTASH_REDIS_REST_TOKEN: "unused",
    SLUICE_SIGNING_KEYS: "unused",
  };
  const originAddress = `127.0.0.1:${originPort}`;
  const worker = await startEdgeServer({ folder, entryFile, originAddress, storeAddress: "127.0.0.1:1", variables });
  pinProcess(worker.child.pid, SUBJECT_CORE);
  return worker;
}

type WorkerText = { readonly name: string; readonly text: string };

/** The minimal worker between a client and an origin. */
const BARE: WorkerText = {
  name: "bare-worker",
  text: "export default { fetch: (request, env) => env.ORIGIN.fetch(request) };",
};

/**
 * Passes address and request id to the origin (a copy of the headers, the peer's address, a random number), removes
 * guarded headers (a scan of all names), gives up on an origin that does not answer (a timer), and keeps internal
 * headers from the client (a scan of the answer's names). No routes, no path parsing, no errors: only calls into the
 * runtime.
 */
const LEAST: WorkerText = {
  name: "least-worker",
  text: `
    const tell = (request) => {
      const headers = new Headers(request.headers);
      for (const name of [...request.headers.keys()]) if (name.startsWith("x-")) headers.delete(name);
      headers.set("x-request-id", crypto.getRandomValues(new Uint32Array(4)).join("-"));
      headers.set("x-forwarded-host", "shop.example");
      headers.set("x-forwarded-proto", "http");
      headers.set("x-forwarded-for", request.cf?.clientIp ?? "");
      return headers;
    };
    const isPlain = (answer) => [...answer.headers.keys()].every((name) => !name.startsWith("x-sluice-"));
    const asked = (request, env) => env.ORIGIN.fetch(request.url, { headers: tell(request), redirect: "manual" });
    const within = (answer, limitMs) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, limitMs, "expired");
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
    export default {
      async fetch(request, env) {
        const answer = await within(asked(request, env), 30_000);
        if (answer === "expired") return new Response(null, { status: 504 });
        return isPlain(answer) ? answer : new Response(answer.body, answer);
      },
    };`,
};

async function writeWorker(folder: string, { name, text }: WorkerText): Promise<string> {
  const file = join(folder, `${name}.js`);
  await writeFile(file, text);
  return file;
}

async function startOrigin() {
  const port = await freePort();
  const file = fileURLToPath(new URL("../http/bare-http-server.ts", import.meta.url));
  const environment = { PORT: String(port), ANSWER };
  const server = await startNodeServer({
    core: OTHER_CORE,
    file,
    environment,
    url: `http://127.0.0.1:${port}`,
    readyPath: "/",
  });
  return { port, stop: server.stop };
}
