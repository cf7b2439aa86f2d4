import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Caller } from "../operation.ts";

/**
 * Public answers that many readers share. A process makes each of them at most once per `ttlMs`, however many ask, and
 * one maker at a time: the others wait for it. They carry an `ETag` and a short `Cache-Control`, so that a cache in
 * front of the venue can keep them too. A failure is not kept.
 */
export type AnswerCache = {
  readonly answer: (caller: Caller, request: CachedRequest) => Promise<Response>;
};

export type CachedRequest = {
  /** Unique for the content. */
  readonly key: string;
  /** The text, or an answer that is not kept. */
  readonly make: () => Promise<string | Uint8Array | Response>;
  readonly contentType?: string;
  /** How long caches in front may keep it. */
  readonly seconds?: number;
};

type Kept = {
  readonly body: Uint8Array;
  readonly etag: string;
  readonly untilMs: number;
  /** Compressed once, for the first client that accepts it. */
  compressed: Promise<Uint8Array> | undefined;
};

const TTL_MS = 250;
const BYTES_MAX = 32 * 1024 * 1024;
const ETAG_CHARS = 22;
/** Writing a thousand bars to a socket costs more than everything else; compressed they are a tenth. */
const COMPRESSED_BYTES_MIN = 16 * 1024;
const compress = promisify(gzip);

export function createAnswerCache({
  nowMs,
  ttlMs = TTL_MS,
}: {
  readonly nowMs: () => number;
  readonly ttlMs?: number;
}): AnswerCache {
  const kept = new Map<string, Kept>();
  const making = new Map<string, Promise<Kept | Response>>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.body.length ?? 0;
    kept.delete(key);
  }

  /** The oldest leave first. */
  function keep(key: string, answer: Kept): void {
    drop(key);
    kept.set(key, answer);
    bytes += answer.body.length;
    for (const oldest of kept.keys()) {
      if (bytes <= BYTES_MAX) break;
      drop(oldest);
    }
  }

  async function makeOnce({ key, make }: CachedRequest): Promise<Kept | Response> {
    const made = await make();
    if (made instanceof Response) return made;
    const body = typeof made === "string" ? Buffer.from(made) : made;
    const etag = `"${hash("sha256", body, "base64url").slice(0, ETAG_CHARS)}"`;
    const answer = { body, etag, untilMs: nowMs() + ttlMs, compressed: undefined };
    keep(key, answer);
    return answer;
  }

  function find(request: CachedRequest): Kept | Promise<Kept | Response> {
    const known = kept.get(request.key);
    if (known !== undefined && nowMs() < known.untilMs) return known;
    const running = making.get(request.key);
    if (running !== undefined) return running;
    const made = makeOnce(request).finally(() => making.delete(request.key));
    making.set(request.key, made);
    return made;
  }

  return {
    async answer(caller, request) {
      const { contentType = "application/json", seconds = 1 } = request;
      const found = await find(request);
      // A body can be read once, so each waiting caller gets its own copy.
      if (found instanceof Response) return found.clone();
      const headers = { "cache-control": `public, max-age=${seconds}`, etag: found.etag };
      if (caller.header("if-none-match") === found.etag) return caller.answer(304, undefined, headers);
      const typed = { ...headers, "content-type": contentType, vary: "accept-encoding" };
      if (!mayCompress(caller, contentType, found.body)) return caller.answerBytes(found.body, typed);
      found.compressed ??= compress(found.body);
      return caller.answerBytes(await found.compressed, { ...typed, "content-encoding": "gzip" });
    },
  };
}

function mayCompress(caller: Caller, contentType: string, body: Uint8Array): boolean {
  if (body.length < COMPRESSED_BYTES_MIN || !contentType.startsWith("application/json")) return false;
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(caller.header("accept-encoding") ?? "");
}
