import { createBareApp } from "../proxy/bare-app.ts";
import { runEdge } from "./run-edge.ts";

/** The bare proxy as a process of Node's. */
await runEdge({ createApp: createBareApp });
