import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Context } from "hono";
import type { html } from "hono/html";
import { paletteCss } from "../../shared/look/palette.ts";

/**
 * The pages behind the gate that are for people: the front page, the demo, and the page for an unknown address. They
 * look like the waiting page (`shared/look/`), load nothing, and say the essential without their script. No cache keeps
 * a copy.
 */
export type Page = {
  readonly title: string;
  readonly main: ReturnType<typeof html>;
  readonly status?: 200 | 404;
  readonly scripts?: readonly PageScript[];
};

type PageScript = "live-numbers" | "session-countdown";

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

const STYLE = paletteCss(null) + textOf("../../shared/look/base.css") + textOf("./client/web.css");
const SCRIPTS: Readonly<Record<PageScript, string>> = {
  "live-numbers": textOf("./client/live-numbers.js"),
  "session-countdown": textOf("./client/session-countdown.js"),
};

/** The icon of the waiting page. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e8a'/%3E%3Cg fill='%23fff'%3E%3Ccircle cx='4' cy='8' r='1.5'/%3E%3Ccircle cx='8' cy='8' r='1.5'/%3E%3Ccircle cx='12' cy='8' r='1.5'/%3E%3C/g%3E%3C/svg%3E";

export function showPage(c: Context, { title, main, status = 200, scripts = [] }: Page): Response {
  const texts = scripts.map((name) => SCRIPTS[name]);
  c.header("content-security-policy", policyFor(texts));
  c.header("cache-control", "no-store");
  c.header("vary", "accept");
  c.header("x-content-type-options", "nosniff");
  c.header("referrer-policy", "same-origin");
  const body = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
${String(main)}
</main>
${texts.map((text) => `<script type="module">${text}</script>`).join("\n")}
</body>
</html>
`;
  return c.html(body, status) as Response;
}

/** Only this page's own scripts and styles run; it may send requests and forms to this site only. */
function policyFor(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    scripts.length === 0 ? "script-src 'none'" : `script-src ${scripts.map(sourceHash).join(" ")}`,
    `style-src ${sourceHash(STYLE)}`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
