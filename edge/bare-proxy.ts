import { Hono } from "hono";
import { problemResponse } from "../shared/errors.ts";
import type { EdgeEnvironment } from "./env.ts";
import { healthRoute } from "./health/health-route.ts";
import { originRoute } from "./proxy/origin-route.ts";
import { ownRoute } from "./proxy/own-route.ts";
import { routePath } from "./proxy/read-visit.ts";

/** The way to the origin without a gate in it: what the proxy's own tests look at, and what the gate is measured against. */
const app = new Hono<EdgeEnvironment>({ getPath: routePath });

app.use("/_sluice/*", ownRoute);
app.get("/_sluice/health", healthRoute);
app.all("/_sluice/*", (c) => problemResponse("not_found", { requestId: c.var.visit.requestId }));
app.all("*", originRoute);

// biome-ignore lint/style/noDefaultExport: workerd takes a worker by its default export.
export default app;
