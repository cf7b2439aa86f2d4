import { createApp } from "../../../edge/app.ts";
import { answerInstead } from "./gate-answer.ts";

/** The gate in workerd without an origin. */
const app = createApp({ ...answerInstead, later: (c, work) => c.executionCtx.waitUntil(work) });

// biome-ignore lint/style/noDefaultExport: workerd takes a worker by its default export.
export default app;
