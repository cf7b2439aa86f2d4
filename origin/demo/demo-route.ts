import type { Context } from "hono";
import { showPage } from "./page.ts";

/**
 * `GET /demo/`: what stands behind the queue that the first start makes for looking at. It says that its visitor is in, and offers a way
 * out, because a line of three slots moves only when somebody leaves.
 */
export function demoRoute(c: Context): Response {
  return showPage(c, { title: "You are in", style: "button { font: inherit; padding: 0.5rem 1rem; }", main: MAIN, hasForm: true });
}

const MAIN = `<h1>You are in</h1>
<p>This is the application behind the gate. Three people may be here at once; everybody else waits for one of you to leave.</p>
<form method="post" action="/_sluice/queues/demo/leave"><button>Leave, and let the next one in</button></form>`;
