import type { Cluster } from "ioredis";
import { gatherReplicated } from "../../shared/store/gather-replicated.ts";
import { slotsOf } from "./cluster-slots.ts";
import type { RedisValue } from "./value-json.ts";

/** A command as ioredis takes it: its name, then its arguments. */
type Call = readonly [string, ...(string | number | Buffer)[]];
type Key = string | Buffer;

/**
 * Commands whose reply is released only when so many replicas have their changes; those of one turn on one slot share a
 * WAIT.
 */
export function replicatedCalls(cluster: Cluster, replicas: number): (key: Key, call: Call) => Promise<RedisValue> {
  const run = gatherReplicated<Call>({
    replicas,
    atEndOfTurn: setImmediate,
    wire: {
      sendAndWait: async (calls, wait) => {
        const pipeline = cluster.pipeline();
        for (const [name, ...args] of calls) pipeline.callBuffer(name, ...args);
        pipeline.call("WAIT", wait.replicas, wait.msMax);
        return (await pipeline.exec()) ?? [];
      },
      refreshSlots: () => new Promise((resolve) => cluster.refreshSlotsCache(() => resolve())),
    },
  });
  return async (key, call) => (await run(String([...slotsOf([key])][0]), call)).value as RedisValue;
}
