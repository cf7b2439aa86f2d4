import type { Context } from "hono";
import { problemResponse } from "../../../shared/http/errors.ts";
import { parseQueueId } from "../../../shared/queue-id.ts";
import type { EdgeEnvironment } from "../../request/env.ts";

/**
 * `GET /_sluice/queues/{id}/leave-on-close.js`: a script for the pages behind the gate, for operators who want slots
 * back as soon as pages are closed. A closing page sends a beacon that ends the session after a moment. Browsers send
 * the same beacon when a visitor follows a link or reloads, so each page that opens sends a heartbeat, and so does
 * every other open page when one is closed.
 */
export function leaveOnCloseRoute(c: Context<EdgeEnvironment>): Response {
  const queueId = parseQueueId(c.req.param("id") ?? "");
  if (!queueId.ok) return problemResponse("queue_not_found", { requestId: c.var.visit.requestId });
  const headers = {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
  };
  return new Response(script(queueId.value), { headers });
}

/**
 * A beacon may be late on a slow connection: what was said before it arrived would not count. All within the time that
 * the gate waits.
 */
const SAY_AFTER_MS = [1_000, 4_000, 8_000];

function script(queueId: string): string {
  return `(function () {
  var base = "/_sluice/queues/${queueId}/";
  var others = "BroadcastChannel" in window ? new BroadcastChannel("sluice-${queueId}") : null;
  function say() {
    fetch(base + "heartbeat", { method: "POST", keepalive: true }).catch(function () {});
  }
  function stay() {
    ${JSON.stringify(SAY_AFTER_MS)}.forEach(function (ms) { setTimeout(say, ms); });
  }
  if (others) others.onmessage = stay;
  addEventListener("pageshow", stay);
  addEventListener("pagehide", function () {
    if (others) others.postMessage("closing");
    navigator.sendBeacon(base + "leave?closing=1");
  });
})();
`;
}
