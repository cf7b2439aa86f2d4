import { Redis } from "@upstash/redis/cloudflare";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import type { StorePatience } from "./store-patience.ts";

export type StoreAddress =
  | { readonly kind: "connection"; readonly runner: ScriptRunner }
  | ({ readonly kind: "rest" } & RestAddress);

/** The gate's store: over a connection that the runtime keeps, or over HTTP. */
export function openStore(address: StoreAddress): ScriptRunner {
  return address.kind === "connection" ? address.runner : openUpstash(address);
}

type RestAddress = { readonly url: string; readonly token: string; readonly patience: StorePatience };

/**
 * The gate's store over HTTP, ours behind the REST bridge or Upstash's own. A call is tried once: the client's retries
 * would run a script again whose reply was lost, and its callers know better than it when to ask again.
 */
export function openUpstash({ url, token, patience }: RestAddress): ScriptRunner {
  const redis = new Redis({
    url,
    token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    readYourWrites: false,
    responseEncoding: false,
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(patience.abandonMs),
  });
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys, args),
    eval: (source, keys, args) => redis.eval(source, keys, args),
  };
}
