import type { Cluster, Redis } from "ioredis";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { gatherCalls } from "../../shared/gather-calls.ts";

type Call = {
  readonly command: "EVALSHA" | "EVAL";
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
};
/** Never undefined: Redis has no such answer. */
type Reply = NonNullable<unknown> | null;

type ReplicatedRunnerOptions = {
  readonly redis: Redis | Cluster;
  /** How many replicas must have a change before its caller hears of it. */
  readonly replicas: number;
};

/** Less than a command may take in all, so that a replica that is away is told as that. */
const REPLICA_MS_MAX = 400;
const SCRIPTS_MAX = 256;

/**
 * Scripts whose answer leaves only when so many replicas have what they changed: whoever was told that he is in is in also after the
 * master has died. WAIT goes out behind the scripts on the same connection, because it speaks of nothing else; the scripts of one turn
 * share one. Without an answer nobody knows whether a script has run, which is what its caller is told: it asks again, and every script
 * is the same the second time.
 */
export function replicatedRunner({ redis, replicas }: ReplicatedRunnerOptions): ScriptRunner {
  const run = gatherCalls<Call, Reply>({ send, atEndOfTurn: setImmediate, callsMax: SCRIPTS_MAX });

  async function send(calls: readonly Call[]): Promise<readonly (Reply | Error)[]> {
    const answers = await sendOnce(calls);
    if (!answers.every(isMoved)) return answers;
    // Beside a WAIT that has its answer the client does not follow by itself. Nothing has run.
    await refreshed();
    return sendOnce(calls);
  }

  async function sendOnce(calls: readonly Call[]): Promise<readonly (Reply | Error)[]> {
    const pipeline = redis.pipeline();
    for (const { command, script, keys, args } of calls) pipeline.call(command, script, keys.length, ...keys, ...args);
    pipeline.call("WAIT", replicas, REPLICA_MS_MAX);
    const results = (await pipeline.exec()) ?? [];
    const [waitError, count] = results.at(-1) ?? [new Error("WAIT was given no answer")];
    const isKept = waitError === null && Number(count) >= replicas;
    return calls.map((_, index) => {
      const [error, value] = results[index] ?? [new Error("a script was given no answer")];
      if (error !== null) return error;
      return isKept ? (value as Reply) : (waitError ?? new NotReplicatedError(Number(count), replicas));
    });
  }

  /** Whether it worked is seen by the next try. */
  function refreshed(): Promise<void> {
    return new Promise((resolve) => ("refreshSlotsCache" in redis ? redis.refreshSlotsCache(() => resolve()) : resolve()));
  }

  return {
    evalsha: (script, keys, args) => run(slotGroup(keys), { command: "EVALSHA", script, keys, args }),
    eval: (script, keys, args) => run(slotGroup(keys), { command: "EVAL", script, keys, args }),
  };
}

class NotReplicatedError extends Error {
  override readonly name = "NotReplicatedError";

  constructor(count: number, wanted: number) {
    super(`${count} of ${wanted} replicas have the change`);
  }
}

/** Keys of one hash tag lie on one node; others are not asked for together. */
function slotGroup([key = ""]: readonly string[]): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

function isMoved(answer: Reply | Error): boolean {
  return answer instanceof Error && answer.message.startsWith("MOVED ");
}
