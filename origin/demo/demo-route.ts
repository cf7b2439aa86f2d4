import type { Context } from "hono";

/**
 * `GET /demo/`: what stands behind the queue that the first start makes for looking at. It says that its visitor is in, and offers a way
 * out, because a line of three slots moves only when somebody leaves.
 */
export function demoRoute(c: Context): Response {
  c.header(
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  c.header("cache-control", "no-store");
  return c.html(PAGE) as Response;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>You are in</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; }
button { font: inherit; padding: 0.5rem 1rem; }
</style>
</head>
<body>
<main>
<h1>You are in</h1>
<p>This is the application behind the gate. Three people may be here at once; everybody else waits for one of you to leave.</p>
<form method="post" action="/_sluice/queues/demo/leave"><button>Leave, and let the next one in</button></form>
</main>
</body>
</html>
`;
