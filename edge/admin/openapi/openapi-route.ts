import type { Context } from "hono";
import type { EdgeEnvironment } from "../../env.ts";
import { openApiDocument } from "./openapi-document.ts";

const MAX_AGE_SECONDS = 300;

let text: string | undefined;

/** `GET /_sluice/openapi.json`: written once per isolate, when first asked for. It holds nothing that is secret. */
export function openApiRoute(_c: Context<EdgeEnvironment>): Response {
  text ??= JSON.stringify(openApiDocument());
  return new Response(text, { headers: { "content-type": "application/json", "cache-control": `public, max-age=${MAX_AGE_SECONDS}` } });
}
