import { fileURLToPath } from "node:url";
import { buildFaces } from "./build-faces.ts";
import { startChild } from "./child.ts";
import type { EdgeServer } from "./edge-server.ts";
import { freePort } from "./free-port.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

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
const LUA_LOADER = new URL("../lua-loader.ts", import.meta.url).href;
const PROBE_MS_MAX = 1_000;

/** The edge in a Node process, which asks its Redis without a bridge in between. */
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

/** Whether it serves is for `/_sluice/health` to say; here it is only up. */
async function answersAtAll(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS_MAX) });
  await response.body?.cancel();
  return true;
}
