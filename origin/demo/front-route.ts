import type { Context } from "hono";
import { showPage } from "./page.ts";

/** `GET /`: what somebody meets who opens the address without a path, and where to go from there. */
export function frontRoute(c: Context): Response {
  return showPage(c, { title: "Sluice", style: "li { margin: 0.5rem 0; }", main: MAIN });
}

const MAIN = `<h1>You are in</h1>
<p>This is the venue behind the gate. If there was a line, you have been through it.</p>
<ul>
<li><a href="/demo/">A line to see</a>: three people at once. Open it in five private windows</li>
<li><a href="/_sluice/console">The operator's console</a></li>
<li><a href="/api/v1/docs">The venue's API</a></li>
<li><a href="/_sluice/health">How every part is</a></li>
</ul>`;
