import type { Context } from "hono";
import type { EdgeEnvironment } from "../env.ts";
import type { Platform } from "../platform.ts";
import { readVisit } from "./read-visit.ts";

/** Everything that is not ours is the origin's. One handler without middleware: Hono then adds next to nothing to a request. */
export function originRoute({ forward }: Pick<Platform, "forward">) {
  return (c: Context<EdgeEnvironment>): Response | Promise<Response> => {
    const visit = readVisit(c.req.raw, c.env);
    if (!visit.ok) return visit.reason;
    c.set("visit", visit.value);
    return forward(visit.value);
  };
}
