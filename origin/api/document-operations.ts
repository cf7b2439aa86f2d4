import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { z } from "zod";
import { venueDocument } from "./openapi-document.ts";
import { publicOperation, type VenueOperation } from "./operation.ts";

const VIEWER = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;
const MAX_AGE_SECONDS = 300;
const CACHE = { "cache-control": `private, max-age=${MAX_AGE_SECONDS}` };

/** The viewer needs inline styles. Scripts and requests are limited to this host. */
const VIEWER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * The document of all operations, including its own, and a page that shows it. The viewer comes from our own packages.
 */
export function withDocument(operations: readonly VenueOperation[]): readonly VenueOperation[] {
  const all: readonly VenueOperation[] = [...operations, documentOperation, pageOperation, fileOperation];
  const text = JSON.stringify(venueDocument(all));
  return all.map((operation) => {
    if (operation !== documentOperation) return operation;
    return {
      ...operation,
      run: async () => new Response(text, { headers: { "content-type": "application/json", ...CACHE } }),
    };
  });
}

const documentOperation = publicOperation({
  method: "get",
  path: "/openapi.json",
  id: "readDocument",
  summary: "This document",
  limit: "read",
  answers: { 200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
  refusals: [],
  run: async ({ refuse }) => refuse("internal_error"),
});

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice venue: API</title>
<link rel="stylesheet" href="/api/v1/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<p><a href="/api/v1/docs/live">Live channels over WebSockets and event streams (AsyncAPI)</a></p>
<noscript>This page needs JavaScript to show /api/v1/openapi.json.</noscript>
<div id="api"></div>
<script src="/api/v1/docs/swagger-ui-bundle.js"></script>
<script src="/api/v1/docs/start.js"></script>
</body>
</html>
`;

const START =
  'SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#api", deepLinking: true, validatorUrl: null });\n';

const pageOperation = publicOperation({
  method: "get",
  path: "/docs",
  id: "readDocumentation",
  summary: "This document as a page",
  limit: "read",
  answers: { 200: { description: "HTML.", schema: z.string(), mediaTypes: ["text/html"] } },
  refusals: [],
  run: async () =>
    new Response(PAGE, {
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": VIEWER_POLICY, ...CACHE },
    }),
});

const fileOperation = publicOperation({
  method: "get",
  path: "/docs/{file}",
  id: "readDocumentationFile",
  summary: "Scripts and styles of the page",
  limit: "read",
  params: z.strictObject({ file: z.enum(["swagger-ui.css", "swagger-ui-bundle.js", "start.js"]) }),
  answers: {
    200: { description: "A script or a style sheet.", schema: z.string(), mediaTypes: ["text/javascript", "text/css"] },
  },
  refusals: [],
  async run(_caller, { params: { file } }) {
    const type = file === "start.js" ? VIEWER["swagger-ui-bundle.js"] : VIEWER[file];
    const content = file === "start.js" ? START : await viewerFile(file);
    return new Response(content, { headers: { "content-type": type, ...CACHE } });
  },
});

const require = createRequire(import.meta.url);
const VIEWER_FILES = {
  "swagger-ui.css": () => require.resolve("swagger-ui-dist/swagger-ui.css"),
  "swagger-ui-bundle.js": () => require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
};

const files = new Map<string, Promise<string>>();

function viewerFile(name: keyof typeof VIEWER): Promise<string> {
  const known = files.get(name) ?? readFile(VIEWER_FILES[name](), "utf8");
  files.set(name, known);
  return known;
}
