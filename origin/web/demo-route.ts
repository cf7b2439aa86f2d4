import type { Context } from "hono";
import { html } from "hono/html";
import { systemClock } from "../../shared/clock.ts";
import { showPage } from "./page.ts";
import { queueFacts } from "./queue-facts.ts";

/**
 * `GET /demo/`: the page behind the queue `demo`. It says that the visitor is in and for how long, and offers a way
 * out, because a line in front of three slots moves only when a visitor leaves.
 */
export function demoRoute(c: Context): Response {
  return showPage(c, {
    title: "You are in · Demo",
    main: mainAt(systemClock.nowMs()),
    scripts: ["live-numbers", "session-countdown"],
  });
}

const mainAt = (nowMs: number) => html`<p class="brand">Demo</p>
<div class="card" id="session" data-queue-id="demo" data-now-ms="${nowMs}">
<p class="mark in" aria-hidden="true"><b></b><b></b><b></b></p>
<h1>You are in</h1>
<p id="lead" class="lead">This is the application behind the gate. The demo admits three visitors at once; others wait until one of you leaves or is idle for too long.</p>
<div id="countdown" hidden>
<p class="label">Your session ends in</p>
<p class="value" id="left" role="timer"></p>
<p class="fine">Every page that you load extends your session. So does the button.</p>
</div>
<p id="told" class="unseen" role="status"></p>
<div class="actions">
<form method="post" action="/_sluice/queues/demo/leave" id="leave"><button class="button">Leave and free your slot</button></form>
<button id="stay" class="button quiet" type="button" hidden>Stay longer</button>
<a id="again" class="button" href="/demo/" hidden>Join the line again</a>
</div>
<div class="queues">
${queueFacts({ queueId: "demo", name: "Demo", note: "in front of this page" })}
</div>
<p id="live" class="fine" role="status" hidden></p>
</div>
<section class="more">
<h2>What to try next</h2>
<ul class="steps">
<li><h3>Make a line</h3>
<p>Open this address in five private windows. Three get in; the others see their position, and enter when one of the three leaves.</p></li>
<li><h3><a href="/_sluice/console">Watch it as the operator</a></h3>
<p>The console shows who is inside and in line. Pause the line there, or raise the maximum inside.</p></li>
<li><h3>Ask as a program</h3>
<p><code>curl -H 'accept: application/json'</code> and this address: a position and when to poll again, as JSON.</p></li>
<li><h3><a href="/">Go to the front page</a></h3>
<p>It leads to the venue’s API, the trade commands and the health page.</p></li>
</ul>
</section>`;
