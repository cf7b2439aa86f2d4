import { Cluster, type Redis } from "ioredis";
import type { Command } from "../../stack/program/resp/encode-commands.ts";
import { PENDING_MAX, STALL_MS_MAX } from "../../stack/program/resp/redis-lane.ts";
import { broadcastOf } from "./cluster-broadcast.ts";
import { keysOf, slotsOf } from "./cluster-slots.ts";
import { replicatedCalls } from "./replicated-calls.ts";
import { type Answer, CONNECTION_OPTIONS, errorJson, STORE_ERRORS, type Store, type Work } from "./store.ts";
import { itemJson, type RedisValue } from "./value-json.ts";

type ClusterStoreOptions = {
  /** Some of the cluster's nodes; the others are learnt from them. */
  readonly urls: readonly string[];
  /** How many replicas must have a change before its caller gets the reply. */
  readonly replicas?: number;
  readonly requestTimeoutMs: number;
  readonly onStateChange: (state: "ready" | "lost", error?: Error) => void;
};

/**
 * A Redis Cluster. ioredis finds each command's node and follows MOVED and ASK; a pipeline's commands are sent at once,
 * each to its node, and answered in the order they were asked. A command whose connection is lost is not sent again: it
 * may have run.
 */
export function createClusterStore({
  urls,
  replicas = 0,
  requestTimeoutMs,
  onStateChange,
}: ClusterStoreOptions): Store {
  const { lazyConnect, protocol, connectTimeout, disableClientInfo } = CONNECTION_OPTIONS;
  const cluster = new Cluster([...urls], {
    lazyConnect,
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: requestTimeoutMs,
    clusterNodeRetryStrategy: CONNECTION_OPTIONS.retryStrategy,
    redisOptions: {
      protocol,
      connectTimeout,
      disableClientInfo,
      autoResendUnfulfilledCommands: false,
      // Without it, requests to one silent node would use up the limit that all nodes share.
      socketTimeout: Math.max(STALL_MS_MAX, 2 * requestTimeoutMs),
    },
  });
  cluster.on("ready", () => onStateChange("ready"));
  cluster.on("close", () => onStateChange("lost"));
  cluster.on("error", (error: Error) => onStateChange("lost", error));
  cluster.connect().catch(() => {
    // ioredis keeps trying; the error event has reported the reason.
  });
  const replicated = replicas === 0 ? undefined : replicatedCalls(cluster, replicas);
  let pendingCount = 0;

  function execute(work: Work, answer: Answer): void {
    const settle = withinTimeout(answer, {
      timeoutMs: requestTimeoutMs,
      onTimeout: [503, errorJson(STORE_ERRORS.timeout)],
    });
    if (pendingCount >= PENDING_MAX) {
      settle(503, errorJson(STORE_ERRORS.busy));
      return;
    }
    pendingCount++;
    const outcome = work.kind === "transaction" ? runTransaction(work, settle) : runEach(work, settle);
    void outcome
      .catch((error: unknown) =>
        settle(503, errorJson(isNeverSent(error) ? STORE_ERRORS.unreachable : STORE_ERRORS.lost)),
      )
      .finally(() => pendingCount--);
  }

  async function runEach(work: Work, answer: Answer): Promise<void> {
    const values = await Promise.all(
      work.commands.map((command, index) => {
        const refusal = work.refusals.get(index);
        return refusal === undefined ? run(command) : Promise.resolve(new Error(refusal));
      }),
    );
    const items = values.map((value) => itemJson(value, work.isBase64));
    if (work.kind === "pipeline") answer(200, `[${items.join(",")}]`);
    else answer(values[0] instanceof Error ? 400 : 200, items[0] ?? "");
  }

  async function run(command: Command): Promise<RedisValue> {
    try {
      const [name, ...args] = toCall(command);
      const broadcast = broadcastOf(command);
      if (broadcast !== undefined) return await broadcast(masters());
      const keys = keysOf(command);
      // Any node can explain what is wrong with a command.
      if (keys === "malformed") return (await masters()[0].callBuffer(name, ...args)) as RedisValue;
      const [key] = keys;
      if (replicated !== undefined && key !== undefined) return await replicated(key, [name, ...args]);
      return (await cluster.callBuffer(name, ...args)) as RedisValue;
    } catch (error) {
      return asReply(error);
    }
  }

  async function runTransaction(work: Work, answer: Answer): Promise<void> {
    const fault = transactionFault(work.commands);
    if (fault !== undefined) return answer(400, errorJson(fault));
    const multi = cluster.multi();
    for (const command of work.commands) {
      const [name, ...args] = toCall(command);
      multi.callBuffer(name, ...args);
    }
    try {
      const results = await multi.exec();
      const items = (results ?? []).map(([error, value]) => itemJson(error ?? (value as RedisValue), work.isBase64));
      answer(200, results === null ? errorJson("EXECABORT the transaction was discarded") : `[${items.join(",")}]`);
    } catch (error) {
      answer(400, errorJson(asReply(error).message));
    }
  }

  function checkHealth(onHealth: (isHealthy: boolean) => void): void {
    const settle = withinTimeout(onHealth, { timeoutMs: requestTimeoutMs, onTimeout: [false] });
    const nodes = cluster.status === "ready" ? cluster.nodes("master") : [];
    Promise.all(nodes.map((node) => node.ping())).then(
      (pongs) => settle(pongs.length > 0),
      () => settle(false),
    );
  }

  /** A message published on any node reaches every node, so any node will do. */
  function newConnection(): Redis | undefined {
    return cluster.nodes("master")[0]?.duplicate(CONNECTION_OPTIONS);
  }

  function masters(): readonly [Redis, ...Redis[]] {
    const [first, ...others] = cluster.nodes("master");
    if (first === undefined) throw new NoMasterError();
    return [first, ...others];
  }

  return { execute, checkHealth, newConnection, close: () => cluster.disconnect() };
}

/** The reason for which Redis would refuse a transaction, found before its parts go to different nodes. */
function transactionFault(commands: readonly Command[]): string | undefined {
  const keys = commands.map(keysOf);
  const malformedAt = keys.indexOf("malformed");
  if (malformedAt !== -1) {
    const name = commands[malformedAt]?.[0].toLowerCase();
    return `EXECABORT Transaction discarded because of previous errors. (ERR wrong number of arguments for '${name}' command)`;
  }
  return slotsOf(keys.flat()).size > 1 ? "CROSSSLOT Keys in request don't hash to the same slot" : undefined;
}

/** Upper case, because ioredis reshapes the arguments and replies of commands it knows by their lower-case name. */
function toCall([name, ...args]: Command): [string, ...(string | number | Buffer)[]] {
  return [name.toUpperCase(), ...args.map((argument) => (typeof argument === "boolean" ? String(argument) : argument))];
}

/** An error reply of Redis goes to the caller; any other error means that the store is unavailable. */
function asReply(error: unknown): Error {
  if (error instanceof Error && error.name === "ReplyError") return error;
  throw error;
}

/** ioredis gives these no class of their own; all of them are decided before anything is written. */
function isNeverSent(error: unknown): boolean {
  if (error instanceof NoMasterError) return true;
  return (
    error instanceof Error && /enableOfflineQueue|startup nodes|ClusterAllFailed/.test(`${error.name} ${error.message}`)
  );
}

class NoMasterError extends Error {
  override readonly name = "NoMasterError";
}

/** The first call or the timeout counts; later calls are ignored. */
function withinTimeout<Args extends readonly unknown[]>(
  call: (...args: Args) => void,
  { timeoutMs, onTimeout }: { readonly timeoutMs: number; readonly onTimeout: Args },
): (...args: Args) => void {
  let isSettled = false;
  const settle = (...args: Args) => {
    clearTimeout(timer);
    if (!isSettled) call(...args);
    isSettled = true;
  };
  const timer = setTimeout(() => settle(...onTimeout), timeoutMs);
  return settle;
}
