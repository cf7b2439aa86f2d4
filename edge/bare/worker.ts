import { forward } from "../proxy/forward.ts";
import { createBareApp } from "./bare-app.ts";

/** The bare proxy as a worker. */
// biome-ignore lint/style/noDefaultExport: workerd takes a worker by its default export.
export default createBareApp({ forward });
