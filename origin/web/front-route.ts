import type { Context } from "hono";
import { html } from "hono/html";
import { showPage } from "./page.ts";
import { queueFacts } from "./queue-facts.ts";

/** `GET /`: the first page that a new user opens. It shows both queues live, and what to try next. */
export function frontRoute(c: Context): Response {
  return showPage(c, { title: "Sluice", main: MAIN, scripts: ["live-numbers"] });
}

const MAIN = html`<p class="brand">Sluice</p>
<div class="card">
<p class="mark in" aria-hidden="true"><b></b><b></b><b></b></p>
<h1>You are in</h1>
<p class="lead">This is the venue behind the gate. When more visitors come than it can serve, they wait in line first.</p>
<div class="queues">
${queueFacts({ queueId: "venue", name: "Venue", note: "in front of every page" })}
${queueFacts({ queueId: "demo", name: "Demo", note: "in front of /demo/" })}
</div>
<p id="live" class="fine" role="status" hidden></p>
</div>
<section class="more">
<h2>What to try next</h2>
<ul class="steps">
<li><h3><a href="/demo/">See a line</a></h3>
<p>The demo admits three visitors at once. Open it in five private windows: two of them wait and see their position.</p></li>
<li><h3><a href="/_sluice/console">Open the operator’s console</a></h3>
<p>Watch both queues, change the admission rate, pause a line. The operator token is <code>adminToken</code> in <code>.sluice/secrets.json</code>.</p></li>
<li><h3><a href="/api/v1/docs">Read the API documentation</a></h3>
<p>Accounts, orders, wallets and market data. The API of the gate is at <a href="/_sluice/openapi.json">/_sluice/openapi.json</a>.</p></li>
<li><h3>Trade</h3>
<p><code>npm run sluice -- demo</code> creates two accounts with balances and a market maker, and prints commands to paste.</p></li>
<li><h3>Send a crowd</h3>
<p><code>npm run load -- crowd</code> sends 1,000 visitors to a gate of its own and checks the order in which they enter.</p></li>
<li><h3><a href="/_sluice/health">Check the health of every part</a></h3>
<p>Gate, stores, venue and database on one page.</p></li>
</ul>
</section>`;
