import { fileURLToPath } from "node:url";
import { buildFaces } from "./servers/build-faces.ts";
import { bundleWorker, WORKER_ENTRY } from "./servers/edge-server.ts";

/**
 * `npm run build`: for an edge that is started by other programs than ours (wrangler, a process manager). With
 *   `--worker` it also bundles the worker, because wrangler's own bundler does not know what a Lua script includes.
 */
const built = await buildFaces();
process.stdout.write(built.length === 0 ? "Nothing to build\n" : `Built ${built.join(", ")}\n`);
if (process.argv.includes("--worker"))
  await bundleWorker(WORKER_ENTRY, fileURLToPath(new URL("../dist", import.meta.url)));
