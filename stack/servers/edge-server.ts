import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildFaces } from "./build-faces.ts";
import { type Child, describeExit, REPORTS_FD, startChild } from "./child.ts";
import { workerdConfig } from "./workerd-config.ts";

/**
 * The edge in a workerd of its own, without Miniflare in between: half the cost of a forwarded request, a client
 * address that workerd itself vouches for, and a process that is ours to watch and to stop.
 */
export type EdgeServer = {
  readonly child: Child;
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

export type EdgeServerOptions = {
  readonly folder: string;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** Left out, the kernel picks one. */
  readonly port?: number;
  /** `host:port` of the application behind the gate. */
  readonly originAddress: string;
  /** `host:port` of the REST bridge: the only address that `fetch` in the worker can reach. Left out, the public internet. */
  readonly storeAddress?: string;
  /** Text bindings of the worker. They reach workerd through its environment, so that no secret stands in a file. */
  readonly variables: Readonly<Record<string, string>>;
  readonly entryFile?: string;
  /** Restart the worker whenever its bundle is written anew. */
  readonly watch?: boolean;
  readonly logFile?: string;
};

export const WORKER_ENTRY = fileURLToPath(new URL("../../edge/worker.ts", import.meta.url));

/**
 * workerd's allocator keeps a cache per core by means of restartable sequences, which glibc would otherwise take for itself; without
 * them every allocation goes the long way, and forwarding a request takes many of them. Elsewhere the variable means nothing.
 */
const ALLOCATOR = { GLIBC_TUNABLES: "glibc.pthread.rseq=0" };

/** Required, not imported: Node and vitest disagree on what the default export of this CommonJS package is. */
const { default: WORKERD_PROGRAM } = createRequire(import.meta.url)("workerd") as { readonly default: string };

export async function startEdgeServer(options: EdgeServerOptions): Promise<EdgeServer> {
  const { folder, variables, logFile, watch = false } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await bundleWorker(options.entryFile ?? WORKER_ENTRY, folder);
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

/** Writes `worker.js`. A workerd that watches takes it up by itself. */
export async function bundleWorker(entryFile: string, folder: string): Promise<void> {
  await buildFaces();
  await build({
    entryPoints: [entryFile],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["cloudflare:*"],
    loader: { ".lua": "text" },
    sourcemap: "inline",
    logLevel: "silent",
  });
}

/** workerd reports each socket it listens on as a line of JSON: surer than asking a port that may be somebody else's. */
async function listeningPort(child: Child): Promise<number> {
  const lines = createInterface({ input: child.reports });
  const heard = new Promise<number>((resolve) => {
    lines.on("line", (line) => {
      const report = JSON.parse(line) as { event: string; socket?: string; port?: number };
      if (report.event === "listen" && report.socket === "http" && report.port !== undefined) resolve(report.port);
    });
  });
  const ended = child.exited.then((exit) => {
    throw new Error(describeExit(child.name, exit));
  });
  return Promise.race([heard, ended]);
}
