/**
 * The service worker of the price board: the network first, then the last answer that it gave. Only answers of the board
 * itself are kept, never a waiting page that a gate shows at the same address.
 */
type KeptEvent = { readonly request: Request; respondWith(answer: Promise<Response>): void };
type Scope = {
  skipWaiting(): Promise<void>;
  addEventListener(
    kind: "install" | "activate",
    handle: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(kind: "fetch", handle: (event: KeptEvent) => void): void;
  readonly clients: { claim(): Promise<void> };
};

const scope = self as unknown as Scope;
const STORE = "sluice-prices-1";
/** Pages, prices, histories and two versions of the assets: old ones are dropped, the oldest first. */
const KEPT_MAX = 80;
/** Set by our own routes, and by no waiting page. */
const OWN_HEADER = "x-price-board";

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const { pathname, origin, searchParams } = new URL(url);
  const isOurs = pathname === "/prices" || pathname.startsWith("/prices/") || pathname.startsWith("/api/v1/prices");
  if (method !== "GET" || origin !== location.origin || !isOurs) return;
  if (searchParams.has("fresh") || pathname.endsWith("/quota")) return;
  event.respondWith(answer(event.request, pathname));
});

async function answer(request: Request, pathname: string): Promise<Response> {
  const store = await caches.open(STORE);
  const isAsset = pathname.startsWith("/prices/assets/");
  const kept = isAsset ? await store.match(request) : undefined;
  if (kept !== undefined) return kept;
  try {
    const isData = pathname.startsWith("/api/");
    // The browser's own cache would hide for a while that there is no connection.
    const response = await fetch(request, isData ? { cache: "no-cache" } : {});
    const isOwn = response.headers.has(OWN_HEADER) || isData;
    if (response.ok && !response.redirected && isOwn) await keep(store, request, response.clone());
    return response;
  } catch (error) {
    // A page is better in another language, or of another item, than not at all.
    const last =
      (await store.match(request)) ??
      (request.mode === "navigate" ? await store.match("/prices/", { ignoreSearch: true }) : undefined);
    if (last === undefined) throw error;
    const headers = new Headers(last.headers);
    headers.set("x-kept", "1");
    return new Response(last.body, { status: last.status, headers });
  }
}

async function keep(store: Cache, request: Request, response: Response): Promise<void> {
  await store.put(request, response);
  const keys = await store.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - KEPT_MAX))) await store.delete(old);
}
