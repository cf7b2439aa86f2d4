import type { Redis } from "ioredis";
import type { Clock } from "../../shared/clock.ts";
import { replies } from "../redis/pipeline.ts";
import { connectionKey, connectionsKey } from "./keys.ts";
import type { SocketHost } from "./sockets/socket-host.ts";

/** A signed-in socket, as admins see it. */
export type ListedConnection = {
  readonly id: string;
  readonly connectedAt: number;
  readonly lastHeardAt: number;
  readonly channels: readonly string[];
};

const LOOK_EVERY_MS = 5_000;
const WRITE_EVERY_MS = 20_000;
/** Those of a process that died are gone after this time. */
const KEPT_SECONDS = 60;
const BATCH = 500;

type ListParts = {
  readonly redis: Redis;
  readonly connections: SocketHost["connections"];
  readonly clock: Clock;
};

/**
 * Lists the signed-in sockets of this process in Redis, for admins. While Redis is unavailable the list is late; it
 * decides nothing.
 */
export function keepConnectionList({ redis, connections, clock }: ListParts): { readonly stop: () => Promise<void> } {
  /** By connection: the user, and when it was written. */
  const written = new Map<string, { readonly userId: string; atMs: number }>();

  async function write(
    due: readonly (ReturnType<SocketHost["connections"]>[number] & { readonly userId: string })[],
  ): Promise<void> {
    const pipeline = redis.pipeline();
    for (const { id, userId, openedAtMs, heardAtMs, channels } of due) {
      const facts = { user_id: userId, connected_at: openedAtMs, last_ping: heardAtMs };
      pipeline.hset(connectionKey(id), { ...facts, subscriptions: JSON.stringify(channels) });
      pipeline.expire(connectionKey(id), KEPT_SECONDS);
      pipeline.sadd(connectionsKey(userId), id).expire(connectionsKey(userId), KEPT_SECONDS);
    }
    await replies(pipeline);
    for (const { id, userId } of due) written.set(id, { userId, atMs: clock.nowMs() });
  }

  async function remove(ids: readonly string[]): Promise<void> {
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.del(connectionKey(id)).srem(connectionsKey(written.get(id)?.userId ?? ""), id);
    await replies(pipeline);
    for (const id of ids) written.delete(id);
  }

  async function look(): Promise<void> {
    const nowMs = clock.nowMs();
    const open = connections();
    const present = new Set(open.map(({ id }) => id));
    const gone = [...written.keys()].filter((id) => !present.has(id));
    const due = open.flatMap((connection) => {
      const isDue = nowMs - (written.get(connection.id)?.atMs ?? 0) >= WRITE_EVERY_MS;
      return connection.userId !== undefined && isDue ? [{ ...connection, userId: connection.userId }] : [];
    });
    for (let from = 0; from < due.length; from += BATCH) await write(due.slice(from, from + BATCH));
    for (let from = 0; from < gone.length; from += BATCH) await remove(gone.slice(from, from + BATCH));
  }

  const timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await remove([...written.keys()]).catch(() => {});
    },
  };
}

export async function readConnections(redis: Redis, userId: string): Promise<readonly ListedConnection[]> {
  const ids = await redis.smembers(connectionsKey(userId));
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(connectionKey(id));
  const hashes = (await replies(pipeline)) as readonly Readonly<Record<string, string>>[];
  return hashes.flatMap((hash, index) => {
    const { connected_at: connectedAt, last_ping: lastHeardAt, subscriptions = "[]" } = hash;
    // It has expired: its process died.
    if (connectedAt === undefined) return [];
    const channels = JSON.parse(subscriptions) as readonly string[];
    return [{ id: ids[index] ?? "", connectedAt: Number(connectedAt), lastHeardAt: Number(lastHeardAt), channels }];
  });
}
