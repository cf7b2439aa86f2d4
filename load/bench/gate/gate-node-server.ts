import { createApp } from "../../../edge/app.ts";
import { runEdge } from "../../../edge/node/run-edge.ts";
import { answerInstead } from "./gate-answer.ts";

/** The gate on Node without an origin. */
await runEdge({ createApp: (platform) => createApp({ ...platform, ...answerInstead }) });
