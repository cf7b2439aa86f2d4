import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EdgeServer, startEdgeServer } from "../../origin/stack/edge-server.ts";
import { freePort } from "../../origin/stack/free-port.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "./benchmark.ts";
import { measureHttp } from "./http-load.ts";
import { startNodeServer } from "./node-server.ts";
import { pinProcess } from "./pinned.ts";

/**
 * The way through the proxy against a worker that passes a request on and does nothing else: the same workerd, the same
 * binding, the same origin. workerd has a core to itself; origin and load share the other one, and one side at a time
 * is under load. So the ratio is that of the CPU time a request costs in workerd.
 * A third worker makes only those calls into the runtime that the proxy's promises cannot do without: what it reaches is what any proxy
 * in JavaScript with these promises could reach, and the rest is ours.
 */
export const proxyBenchmark: Benchmark = {
  name: "proxy",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const origin = await startOrigin();
    const proxy = await startWorker({ folder: join(folder, "proxy"), entryFile: PROXY_ENTRY, originPort: origin.port });
    const bare = await startWorker({ folder: join(folder, "bare"), entryFile: await writeWorker(folder, BARE), originPort: origin.port });
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
const PROXY_ENTRY = fileURLToPath(new URL("../../edge/bare-proxy.ts", import.meta.url));
const TARGET = "/market/BTC-USD/book?depth=20";
const ANSWER = JSON.stringify({ pair: "BTC-USD", bids: Array.from({ length: 20 }, (_, i) => [String(64_000 - i), "0.25"]) });

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
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
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

type Sides = { readonly proxy: EdgeServer; readonly bare: EdgeServer; readonly least: EdgeServer; readonly effort: typeof FULL };

async function compare(client: Client, { proxy, bare, least, effort }: Sides): Promise<readonly BenchmarkRow[]> {
  const speed = (server: EdgeServer) => () => requestsPerSecond(server, client, effort);
  const unit = "requests/s";
  const proxied = await alternate({ rounds: effort.rounds, subject: speed(proxy), baseline: speed(bare) });
  const unavoidable = await alternate({ rounds: effort.rounds, subject: speed(least), baseline: speed(bare) });
  return [
    benchmarkRow({ what: `GET of ${client.name} through the proxy, against a bare pass-through worker`, unit, aim: AIM, ...proxied }),
    benchmarkRow({
      what: `GET of ${client.name} through the least that these promises cost, against the same`,
      unit,
      aim: 0,
      ...unavoidable,
    }),
  ];
}

async function requestsPerSecond({ url }: EdgeServer, { headers }: Client, { durationMs, warmUpMs }: typeof FULL): Promise<number> {
  const figures = await measureHttp({ url: url + TARGET, headers, connections: CONNECTIONS, durationMs, warmUpMs, core: OTHER_CORE });
  if (figures.errors > 0) throw new Error(`${figures.errors} requests failed: the figure would mean nothing`);
  return figures.requestsPerSecond;
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

/** The least that a worker between a client and an origin can do. */
const BARE: WorkerText = { name: "bare-worker", text: "export default { fetch: (request, env) => env.ORIGIN.fetch(request) };" };

/**
 * Who asks and under which id is told to the origin (a copy of the headers, the peer's address, a number that nobody can guess), no guarded
 * name passes (a look at all names), an origin that does not answer is given up (a clock), and nothing of ours reaches the client (a look at
 * the answer's names). No routes, no path that is read, no errors: only what crosses into the runtime.
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
  const file = fileURLToPath(new URL("./bare-http-server.ts", import.meta.url));
  const environment = { PORT: String(port), ANSWER };
  const server = await startNodeServer({ core: OTHER_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/" });
  return { port, stop: server.stop };
}
