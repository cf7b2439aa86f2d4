import { html } from "hono/html";
import { base64url } from "jose";
import { newId, systemRandom } from "../../../shared/ids.ts";
import { CONSOLE_SCRIPT, CONSOLE_STYLE } from "../../built/console.ts";
import { acceptsGzip, gzipBytes, gzipResponse } from "../../request/compression.ts";
import type { ConsoleSession } from "./console-session.ts";

/** The page carries a session's key, so no cache keeps it; what it loads is named by its content and kept for ever. */
export async function consolePage({ session }: { readonly session: ConsoleSession | undefined }): Promise<Response> {
  const { script, style } = await assetsOfIsolate();
  const nonce = newId(systemRandom);
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="console-key" content="${session?.key ?? ""}" data-expires-at="${session?.expiresAtMs ?? 0}">
<title>Sluice console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_sluice/console/${style.name}" nonce="${nonce}">
<script src="/_sluice/console/${script.name}" nonce="${nonce}" defer></script>
</head>
<body>
<div id="console"><noscript>The console needs JavaScript. Everything it does can also be done through the API described at /_sluice/openapi.json.</noscript></div>
</body>
</html>
`;
  return new Response(String(await body), { headers: pageHeaders(nonce) });
}

function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy.join("; "),
    // A page of the application that opened this one gets no hold of its window.
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    vary: "cookie, sec-fetch-dest, sec-fetch-mode",
  };
}

type Asset = { readonly name: string; readonly text: string; readonly packed: ArrayBuffer; readonly mediaType: string };
type Assets = { readonly script: Asset; readonly style: Asset };

let assets: Assets | undefined;

async function assetsOfIsolate(): Promise<Assets> {
  assets ??= {
    script: await assetOf(CONSOLE_SCRIPT, { ending: "js", mediaType: "text/javascript; charset=utf-8" }),
    style: await assetOf(CONSOLE_STYLE, { ending: "css", mediaType: "text/css; charset=utf-8" }),
  };
  return assets;
}

const HASH_CHARS = 16;

async function assetOf(text: string, { ending, mediaType }: { ending: string; mediaType: string }): Promise<Asset> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const name = `console-${base64url.encode(digest).slice(0, HASH_CHARS)}.${ending}`;
  return { name, text, packed: await gzipBytes(text), mediaType };
}

/** Undefined for an unknown or outdated name. */
export async function assetResponse(request: Request, name: string): Promise<Response | undefined> {
  const asset = Object.values(await assetsOfIsolate()).find((candidate) => candidate.name === name);
  if (asset === undefined) return undefined;
  const isPacked = acceptsGzip(request.headers);
  // RFC 9110, 8.8.3: what differs in its bytes differs in its tag. Either tag says that the client has the file.
  const [plainTag, packedTag] = [`"${asset.name}"`, `"${asset.name}-gzip"`];
  const shown = request.headers.get("if-none-match");
  const headers = {
    "content-type": asset.mediaType,
    "cache-control": "public, max-age=31536000, immutable",
    etag: isPacked ? packedTag : plainTag,
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-encoding",
  };
  if (shown === plainTag || shown === packedTag)
    return new Response(null, { status: 304, headers: { ...headers, etag: shown } });
  return isPacked ? gzipResponse(asset.packed, { status: 200, headers }) : new Response(asset.text, { headers });
}
