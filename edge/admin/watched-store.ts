import type { ScriptRunner } from "../../shared/define-script.ts";

/** The store did not do what it was asked, or nobody knows whether it did. The cause is for the log alone. */
export class StoreFailure extends Error {
  override readonly name = "StoreFailure";
}

/** Marks what comes from the store, so that its failures (503, try again) are told from bugs of ours (500). */
export function watchedStore(store: ScriptRunner): ScriptRunner {
  return {
    evalsha: (sha, keys, args) => store.evalsha(sha, keys, args).catch(rethrow),
    eval: (source, keys, args) => store.eval(source, keys, args).catch(rethrow),
  };
}

/** A script that the server does not know is no failure: its caller sends the source. */
function rethrow(cause: unknown): never {
  if (cause instanceof Error && cause.message.startsWith("NOSCRIPT")) throw cause;
  throw new StoreFailure("the store failed", { cause });
}
