import { html, raw } from "hono/html";
import type { WaitingVisitor } from "./visitor-answer.ts";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; font-weight: 600; }
`;

const SECONDS_PER_MINUTE = 60;

type Page = { readonly name: string; readonly visitor: WaitingVisitor };

/** Where a visitor stands, without a script: the browser asks again by itself when the line expects it. */
export function waitingPage({ name, visitor }: Page) {
  const { position, total, estimatedWaitSeconds, pollAfterMs } = visitor;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${Math.ceil(pollAfterMs / 1000)}">
<title>${position} of ${total}: ${name}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>You are in line for ${name}</h1>
<dl>
<dt>Your place</dt><dd id="position">${position}</dd>
<dt>People in line</dt><dd id="total">${total}</dd>
<dt>Estimated wait</dt><dd id="wait">${inWords(estimatedWaitSeconds.likely)}</dd>
</dl>
<p>This page looks again by itself and lets you in when it is your turn. You may close it: your place is kept for a while.</p>
</main>
</body>
</html>
`;
}

function inWords(seconds: number): string {
  if (seconds < SECONDS_PER_MINUTE) return "less than a minute";
  const minutes = Math.round(seconds / SECONDS_PER_MINUTE);
  return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
}
