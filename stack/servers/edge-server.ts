import { link, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build, type Plugin, stop as stopEsbuild } from "esbuild";
import { sourceText } from "../program/source-text.ts";
import { buildFaces } from "./build-faces.ts";
import { type Child, describeExit, REPORTS_FD, startChild } from "./child.ts";
import { freePort } from "./free-port.ts";
import { waitUntilReady } from "./wait-until-ready.ts";
import { workerdConfig } from "./workerd-config.ts";

/**
 * The edge in its own workerd process, without Miniflare: half the cost of a forwarded request, a client address that
 * comes from workerd itself, and a process that the stack can watch and stop.
 */
export type EdgeServer = {
  readonly child: Child;
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

export type EdgeServerOptions = {
  readonly folder: string;
  /** Loopback by default. */
  readonly host?: string;
  /** Left out, the kernel picks one. */
  readonly port?: number;
  /** `host:port` of the application behind the gate. */
  readonly originAddress: string;
  /**
   * `host:port` of the REST bridge: the only address that `fetch` in the worker can reach. Left out, the public
   * internet.
   */
  readonly storeAddress?: string;
  /**
   * Text bindings of the worker. They reach workerd through its environment, so that no secret is written to a file.
   */
  readonly variables: Readonly<Record<string, string>>;
  readonly entryFile?: string;
  /** A bundle of the entry that is already there; left out, one is made. */
  readonly bundleFile?: string;
  /** Restart the worker whenever its bundle changes. */
  readonly watch?: boolean;
  readonly logFile?: string;
};

/** In the folder of an edge. */
export const BUNDLE = "worker.js";

export const WORKER_ENTRY = fileURLToPath(new URL("../../edge/worker.ts", import.meta.url));

/**
 * workerd's allocator keeps a cache per core by means of restartable sequences, which glibc would otherwise take for
 * itself; without them every allocation goes the long way, and forwarding a request takes many of them. Elsewhere the
 * variable means nothing.
 */
const ALLOCATOR = { GLIBC_TUNABLES: "glibc.pthread.rseq=0" };

/** Required, not imported: Node and vitest disagree on what the default export of this CommonJS package is. */
const { default: WORKERD_PROGRAM } = createRequire(import.meta.url)("workerd") as { readonly default: string };

export async function startEdgeServer(options: EdgeServerOptions): Promise<EdgeServer> {
  const { folder, variables, logFile, watch = false } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (options.bundleFile === undefined) await bundleWorker(options.entryFile ?? WORKER_ENTRY, folder);
  else await link(options.bundleFile, join(folder, BUNDLE));
  // The worker itself reads the variable too, and would refuse such an address first.
  const allowsPrivateTargets = variables["SLUICE_ALLOW_PRIVATE_TARGETS"] === "1";
  const configFile = join(folder, "workerd.capnp");
  await writeFile(
    configFile,
    workerdConfig({ ...options, port: options.port ?? 0, allowsPrivateTargets, variableNames: Object.keys(variables) }),
  );
  const child = startChild({
    name: "edge",
    command: WORKERD_PROGRAM,
    args: ["serve", ...(watch ? ["--watch"] : []), `--control-fd=${REPORTS_FD}`, configFile],
    environment: { ...variables, ...ALLOCATOR },
    ...(logFile === undefined ? {} : { logFile }),
  });
  const port = await listeningPort(child);
  return { child, port, url: `http://127.0.0.1:${port}`, stop: child.stop };
}

const luaAsText: Plugin = {
  name: "lua-as-text",
  setup: ({ onLoad }) => onLoad({ filter: /\.lua$/ }, ({ path }) => ({ contents: sourceText(path), loader: "text" })),
};

let lastBundle: Promise<void> = Promise.resolve();

/**
 * Writes the bundle. A workerd with --watch reloads it. The edges of a stack start together: one at a time is bundled,
 * because they write the same faces, and because stopping esbuild would leave another bundle waiting forever.
 */
export function bundleWorker(entryFile: string, folder: string): Promise<void> {
  const bundle = lastBundle.then(() => writeBundle(entryFile, folder));
  lastBundle = bundle.catch(() => {});
  return bundle;
}

async function writeBundle(entryFile: string, folder: string): Promise<void> {
  await buildFaces();
  await build({
    entryPoints: [entryFile],
    outfile: join(folder, BUNDLE),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["cloudflare:*"],
    plugins: [luaAsText],
    sourcemap: "inline",
    logLevel: "silent",
  });
  // Its service process would otherwise stay for as long as this one, with 100 MB.
  await stopEsbuild();
}

/**
 * workerd reports each socket it listens on as a line of JSON: more reliable than probing a port, which may belong to
 * another process.
 */
async function listeningPort(child: Child): Promise<number> {
  const lines = createInterface({ input: child.reports });
  const listening = new Promise<number>((resolve) => {
    lines.on("line", (line) => {
      const report = JSON.parse(line) as { event: string; socket?: string; port?: number };
      if (report.event === "listen" && report.socket === "http" && report.port !== undefined) resolve(report.port);
    });
  });
  const ended = child.exited.then((exit) => {
    throw new Error(describeExit(child.name, exit));
  });
  return Promise.race([listening, ended]);
}

/** Over plain HTTP the worker can reach this one address only; https means a host on the internet. */
export function storeOutbound(storeUrl: string): { readonly storeAddress?: string } {
  const url = new URL(storeUrl);
  return url.protocol === "https:" ? {} : { storeAddress: `${url.hostname}:${url.port === "" ? 80 : url.port}` };
}

type NodeEdgeServerOptions = {
  /** Left out, any that is free. */
  readonly port?: number;
  /** `host:port` of the application behind the gate. */
  readonly originAddress: string;
  /** The environment of the process, and all of it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly entryFile?: string;
  readonly logFile?: string;
};

const NODE_ENTRY = fileURLToPath(new URL("../../edge/node.ts", import.meta.url));
const LUA_LOADER = new URL("../program/lua-loader.ts", import.meta.url).href;
const PROBE_MS_MAX = 1_000;

/** The edge in a Node process, which connects to Redis without a bridge. */
export async function startNodeEdgeServer(options: NodeEdgeServerOptions): Promise<EdgeServer> {
  const { originAddress, variables, entryFile = NODE_ENTRY, logFile } = options;
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  await buildFaces();
  const child = startChild({
    name: "edge",
    command: process.execPath,
    args: ["--import", LUA_LOADER, entryFile],
    environment: { ...variables, ORIGIN_URL: `http://${originAddress}`, SLUICE_PORT: String(port) },
    ...(logFile === undefined ? {} : { logFile }),
  });
  await waitUntilReady({ child, probe: () => answersAtAll(`${url}/_sluice/`) });
  return { child, port, url, stop: child.stop };
}

/** Any answer counts: `/_sluice/health` reports later whether it serves. */
async function answersAtAll(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS_MAX) });
  await response.body?.cancel();
  return true;
}
