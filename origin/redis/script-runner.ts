import type { Cluster, Redis } from "ioredis";
import type { ScriptRunner } from "../../shared/store/define-script.ts";

/** Runs a script of `shared/store/define-script.ts` over an ioredis connection, to one server or to a cluster. */
export function scriptRunner(redis: Redis | Cluster): ScriptRunner {
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
    eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...args),
  };
}
