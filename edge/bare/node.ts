import { runEdge } from "../node/run-edge.ts";
import { createBareApp } from "./bare-app.ts";

/** The bare proxy as a process of Node's. */
await runEdge({ createApp: createBareApp });
