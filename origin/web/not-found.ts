import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { html } from "hono/html";
import { problemResponse } from "../../shared/http/errors.ts";
import { showPage } from "./page.ts";

/** An address that does not exist: a page for a browser, a problem for a program. */
export function notFound(c: Context): Response {
  const requestId = c.req.header("x-request-id");
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const wanted = accepts(c, {
    header: "Accept",
    supports: ["application/json", "text/html"],
    default: "application/json",
  });
  if (!isRead || wanted !== "text/html")
    return problemResponse("not_found", requestId === undefined ? {} : { requestId });
  return showPage(c, { title: "Page not found", status: 404, main: mainFor(requestId) });
}

const mainFor = (requestId: string | undefined) => html`<p class="brand">Sluice</p>
<div class="card">
<p class="mark" aria-hidden="true"><b></b><b></b><b></b></p>
<h1>Page not found</h1>
<p class="lead">There is nothing at this address. Check its spelling, or begin at the front page.</p>
<div class="actions"><a class="button" href="/">Front page</a></div>
</div>
${requestId === undefined ? "" : html`<p class="fine reference">Reference: <code>${requestId}</code></p>`}`;
