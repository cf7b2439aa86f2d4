import { createApp } from "../../../edge/app.ts";
import { answerInstead } from "./gate-answer.ts";

/** The gate in workerd without an origin. */
const app = createApp(answerInstead);

// biome-ignore lint/style/noDefaultExport: workerd takes a worker by its default export.
export default app;
