import type { Context } from "hono";
import { errorCatalogue, problemResponse } from "../../../shared/http/errors.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { roomResponse } from "../../room/room-response.ts";
import { wantsOf } from "../wants.ts";

/** A path under `/_sluice` that does not exist: a page for a person, a problem for a program. */
export function notFound(c: Context<EdgeEnvironment>): Response {
  const { visit } = c.var;
  if (wantsOf(visit.request) !== "page") return problemResponse("not_found", { requestId: visit.requestId });
  const { status } = errorCatalogue.not_found;
  return roomResponse({
    visit,
    queue: undefined,
    state: { name: "notFound" },
    status,
    next: { kind: "stay" },
    leadsTo: "/",
  });
}
