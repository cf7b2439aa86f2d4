import { html } from "hono/html";

type Notice = { readonly title: string; readonly retryAfterSeconds: number | undefined };

/** A refusal for a person: the same sentence as in the JSON, and another try by itself where that can help. */
export function noticePage({ title, retryAfterSeconds }: Notice) {
  const refresh = retryAfterSeconds === undefined ? "" : html`<meta http-equiv="refresh" content="${retryAfterSeconds}">`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh}
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${retryAfterSeconds === undefined ? "" : "This page tries again by itself."}</p>
</main>
</body>
</html>
`;
}
