import type { Context } from "hono";

/** `GET /`: what somebody meets who opens the address without a path, and where to go from there. */
export function frontRoute(c: Context): Response {
  c.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'");
  c.header("cache-control", "no-store");
  return c.html(PAGE) as Response;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; }
li { margin: 0.5rem 0; }
</style>
</head>
<body>
<main>
<h1>You are in</h1>
<p>This is the venue behind the gate. If there was a line, you have been through it.</p>
<ul>
<li><a href="/demo/">A line to see</a>: three people at once. Open it in five private windows</li>
<li><a href="/_sluice/console">The operator's console</a></li>
<li><a href="/api/v1/docs">The venue's API</a></li>
<li><a href="/_sluice/health">How every part is</a></li>
</ul>
</main>
</body>
</html>
`;
