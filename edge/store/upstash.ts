import { Redis } from "@upstash/redis/cloudflare";
import type { ScriptRunner } from "../../shared/define-script.ts";

/** A store that does not answer must never hold a visitor for a second. */
const STORE_TIMEOUT_MS = 800;

type RestAddress = { readonly url: string; readonly token: string };

/**
 * The gate's store over HTTP, ours behind the REST bridge or Upstash's own. A call is tried once: the client's retries
 * would run a script again whose reply was lost, and its callers know better than it when to ask again.
 */
export function openUpstash({ url, token }: RestAddress): ScriptRunner {
  const redis = new Redis({
    url,
    token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    readYourWrites: false,
    responseEncoding: false,
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(STORE_TIMEOUT_MS),
  });
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys, args),
    eval: (source, keys, args) => redis.eval(source, keys, args),
  };
}
