import { Cluster, type Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { broadcastOf } from "./cluster-broadcast.ts";
import { transactionSlots } from "./cluster-slots.ts";
import type { Command, Work } from "./command.ts";
import { type Answer, CONNECTION_OPTIONS, errorJson, PENDING_MAX, REQUEST_TIMEOUT_MS, STORE_ERRORS, type Store } from "./store.ts";
import { itemJson, type RedisValue } from "./value-json.ts";

type ClusterStoreOptions = {
  /** Some of the cluster's nodes; the others are learnt from them. */
  readonly urls: readonly string[];
  readonly onStateChange: (state: "ready" | "lost", error?: Error) => void;
};

/**
 * A Redis Cluster. ioredis finds each command's node and follows MOVED and ASK; a pipeline's commands are sent at once,
 * each to its node, and answered in the order they were asked. A command whose connection is lost is not sent again: it
 * may have run.
 */
export function createClusterStore({ urls, onStateChange }: ClusterStoreOptions): Store {
  const { lazyConnect, protocol, connectTimeout, disableClientInfo } = CONNECTION_OPTIONS;
  const cluster = new Cluster([...urls], {
    lazyConnect,
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: REQUEST_TIMEOUT_MS,
    clusterNodeRetryStrategy: CONNECTION_OPTIONS.retryStrategy,
    redisOptions: { protocol, connectTimeout, disableClientInfo, autoResendUnfulfilledCommands: false },
  });
  cluster.on("ready", () => onStateChange("ready"));
  cluster.on("close", () => onStateChange("lost"));
  cluster.on("error", (error: Error) => onStateChange("lost", error));
  cluster.connect().catch(() => {
    // ioredis goes on trying by itself; the error event has told what is wrong.
  });
  let pendingCount = 0;

  function execute(work: Work, answer: Answer): void {
    const settle = withinTimeout((status: number, json: string) => answer(status, json), [503, errorJson(STORE_ERRORS.timeout)]);
    if (pendingCount >= PENDING_MAX) {
      settle(503, errorJson(STORE_ERRORS.busy));
      return;
    }
    pendingCount++;
    const outcome = work.kind === "transaction" ? runTransaction(work, settle) : runEach(work, settle);
    void outcome
      .catch((error: unknown) => settle(503, errorJson(isNeverSent(error) ? STORE_ERRORS.unreachable : STORE_ERRORS.lost)))
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
      if (broadcast !== undefined) return await broadcast(cluster.nodes("master"));
      return (await cluster.callBuffer(name, ...args)) as RedisValue;
    } catch (error) {
      return asReply(error);
    }
  }

  async function runTransaction(work: Work, answer: Answer): Promise<void> {
    if (transactionSlots(work.commands).size > 1) return answer(400, errorJson("CROSSSLOT Keys in request don't hash to the same slot"));
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

  function checkHealth(tell: (isHealthy: boolean) => void): void {
    const settle = withinTimeout(tell, [false]);
    const masters = cluster.status === "ready" ? cluster.nodes("master") : [];
    Promise.all(masters.map((node) => node.ping())).then(
      (pongs) => settle(pongs.length > 0),
      () => settle(false),
    );
  }

  /** A message published on any node reaches every node, so any node will do. */
  function newConnection(): Redis {
    const [node] = cluster.nodes("master");
    assert(node !== undefined, "a cluster that is up has a master");
    return node.duplicate(CONNECTION_OPTIONS);
  }

  return { execute, checkHealth, newConnection, close: () => cluster.disconnect() };
}

/** Upper case, because ioredis reshapes the arguments and replies of commands it knows by their lower-case name. */
function toCall([name, ...args]: Command): [string, ...(string | number | Buffer)[]] {
  return [name.toUpperCase(), ...args.map((argument) => (typeof argument === "boolean" ? String(argument) : argument))];
}

/** What Redis itself answered is the caller's business; anything else is the store's state. */
function asReply(error: unknown): Error {
  if (error instanceof Error && error.name === "ReplyError") return error;
  throw error;
}

function isNeverSent(error: unknown): boolean {
  return error instanceof Error && /enableOfflineQueue|startup nodes|ClusterAllFailed/.test(`${error.name} ${error.message}`);
}

/** The first call passes, or else the timeout's; all later ones are nobody's any more. */
function withinTimeout<Args extends readonly unknown[]>(call: (...args: Args) => void, onTimeout: Args): (...args: Args) => void {
  let isSettled = false;
  const settle = (...args: Args) => {
    clearTimeout(timer);
    if (!isSettled) call(...args);
    isSettled = true;
  };
  const timer = setTimeout(() => settle(...onTimeout), REQUEST_TIMEOUT_MS);
  return settle;
}
