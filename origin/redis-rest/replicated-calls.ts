import type { Cluster } from "ioredis";
import { gatherCalls } from "../../shared/gather-calls.ts";
import { slotsOf } from "./cluster-slots.ts";
import type { RedisValue } from "./value-json.ts";

/** A command as ioredis takes it: its name, then its arguments. */
type Call = readonly [string, ...(string | number | Buffer)[]];
type Key = string | Buffer;

/** Less than a request may take in all, so that a replica that is away is told as that. */
const REPLICA_MS_MAX = 400;
const COMMANDS_MAX = 256;

/**
 * Commands whose reply leaves only when so many replicas have what they changed. WAIT goes out behind them on the same connection, because
 * it speaks of nothing else; the commands of one turn on one slot share one. What fewer replicas have is not answered but failed, as with a
 * connection that is lost: it may have run.
 */
export function replicatedCalls(cluster: Cluster, replicas: number): (key: Key, call: Call) => Promise<RedisValue> {
  type Reply = { readonly value: RedisValue };
  const run = gatherCalls<Call, Reply>({ send, atEndOfTurn: setImmediate, callsMax: COMMANDS_MAX });

  async function send(calls: readonly Call[]): Promise<readonly (Reply | Error)[]> {
    const answers = await sendOnce(calls);
    if (!answers.every((answer) => answer instanceof Error && answer.message.startsWith("MOVED "))) return answers;
    // Beside a WAIT that has its answer the client does not follow by itself. Nothing has run.
    await new Promise<void>((resolve) => cluster.refreshSlotsCache(() => resolve()));
    return sendOnce(calls);
  }

  async function sendOnce(calls: readonly Call[]): Promise<readonly (Reply | Error)[]> {
    const pipeline = cluster.pipeline();
    for (const [name, ...args] of calls) pipeline.callBuffer(name, ...args);
    pipeline.call("WAIT", replicas, REPLICA_MS_MAX);
    const results = (await pipeline.exec()) ?? [];
    const [waitError, count] = results.at(-1) ?? [new Error("WAIT was given no answer")];
    const missing = waitError ?? (Number(count) < replicas ? new Error(`${count} of ${replicas} replicas have the change`) : undefined);
    return calls.map((_, index) => {
      const [error, value] = results[index] ?? [new Error("a command was given no answer")];
      return error ?? missing ?? { value: value as RedisValue };
    });
  }

  return async (key, call) => (await run(String([...slotsOf([key])][0]), call)).value;
}
