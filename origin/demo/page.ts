import type { Context } from "hono";

type Page = {
  readonly title: string;
  /** What the page adds to the style of them all. */
  readonly style: string;
  readonly main: string;
  /** Whether it holds a form of ours. */
  readonly hasForm?: boolean;
};

/** A page of a few words, in the one look that those behind the gate have. It holds no script, and nobody keeps a copy. */
export function showPage(c: Context, { title, style, main, hasForm = false }: Page): Response {
  const form = hasForm ? " form-action 'self';" : "";
  const policy = `default-src 'none'; style-src 'unsafe-inline';${form} base-uri 'none'; frame-ancestors 'none'`;
  c.header("content-security-policy", policy);
  c.header("cache-control", "no-store");
  return c.html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; }
${style}
</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`) as Response;
}
