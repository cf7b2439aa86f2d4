import type { Cluster, Redis } from "ioredis";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { hashTagOf } from "../../shared/store/define-script.ts";
import { gatherReplicated } from "../../shared/store/gather-replicated.ts";

type Call = {
  readonly command: "EVALSHA" | "EVAL";
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
};

type ReplicatedRunnerOptions = {
  readonly redis: Redis | Cluster;
  /** How many replicas must have a change before it is confirmed. */
  readonly replicas: number;
};

/**
 * Scripts whose reply waits until so many replicas have the change: an admitted visitor stays admitted after the master
 * has died. Without a reply the outcome is unknown: the caller asks again, and every script is idempotent.
 */
export function replicatedRunner({ redis, replicas }: ReplicatedRunnerOptions): ScriptRunner {
  const gathered = gatherReplicated<Call>({
    replicas,
    atEndOfTurn: setImmediate,
    wire: {
      sendAndWait: async (calls, wait) => {
        const pipeline = redis.pipeline();
        for (const { command, script, keys, args } of calls)
          pipeline.call(command, script, keys.length, ...keys, ...args);
        pipeline.call("WAIT", wait.replicas, wait.msMax);
        return (await pipeline.exec()) ?? [];
      },
      refreshSlots: () =>
        new Promise((resolve) => ("refreshSlotsCache" in redis ? redis.refreshSlotsCache(() => resolve()) : resolve())),
    },
  });
  const run = async (call: Call) => (await gathered(slotGroup(call.keys), call)).value;
  return {
    evalsha: (script, keys, args) => run({ command: "EVALSHA", script, keys, args }),
    eval: (script, keys, args) => run({ command: "EVAL", script, keys, args }),
  };
}

/** Keys of one hash tag lie on one node; others are not asked for together. */
function slotGroup([key = ""]: readonly string[]): string {
  return hashTagOf(key) ?? key;
}
