import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { WebSocket } from "ws";
import { apiKeyKey } from "../../origin/accounts/api-keys/key-copies.ts";
import { userKey } from "../../origin/accounts/identity/keys.ts";
import { type LiveSettings, openLiveHost } from "../../origin/live/open-live-host.ts";
import { systemClock } from "../../shared/clock.ts";
import { systemRandom } from "../../shared/ids.ts";
import { createLiveClient, type LiveClient, type LiveSocket } from "../../shared/live/live-client.ts";
import { ok } from "../../shared/result.ts";
import { createLogger } from "../../stack/program/log.ts";

/** The live hub and its sockets on a port, without accounts: `?user=` names the signed-in user. */
export type TestLive = { readonly port: number; readonly stop: () => Promise<void> };

type LiveOptions = { readonly url: string; readonly port?: number; readonly settings?: Partial<LiveSettings> };

export async function startLive({ url, port = 0, settings = {} }: LiveOptions): Promise<TestLive> {
  const log = createLogger("live-test", { write: () => {} });
  const times = { SLUICE_LIVE_BOOK_MS: 10, SLUICE_LIVE_SUMMARY_MS: 20 };
  const host = openLiveHost({
    settings: { VENUE_REDIS_URL: url, SLUICE_SOCKETS_PER_ADDRESS: 100_000, ...times, ...settings },
    signIn: async () => ok(identityOf("unused")),
    maintenance: () => undefined,
    ...{ clock: systemClock, random: systemRandom, log },
  });
  const redis = new Redis(url);
  redis.on("error", () => {});
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    const user = new URL(request.url ?? "", "http://live").searchParams.get("user");
    const headers = request.headers as Record<string, string>;
    const identity = user === null ? undefined : identityOf(user);
    void knowUser(redis, user).then(() => host.accept({ headers, address: "192.0.2.1", identity }, socket, head));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      await host.stop();
      redis.disconnect();
    },
  };
}

const KEY_ID = "test";

/** The host checks every second that the key and its owner are still active. */
async function knowUser(redis: Redis, user: string | null): Promise<void> {
  if (user === null) return;
  await redis.hset(apiKeyKey(KEY_ID), "is_active", "true").catch(() => {});
  await redis.hset(userKey(user), "status", "active", "role", "user").catch(() => {});
}

const identityOf = (userId: string) => ({
  ...{ userId, role: "user" as const, expiresAtMs: undefined, proof: { apiKeyId: KEY_ID } },
});

type ClientOptions = { readonly port: () => number; readonly user?: string; readonly random: () => number };

export type TestClient = LiveClient & {
  /** Cuts the connection, without a word. */
  readonly cut: () => void;
};

/** The product's own client on a socket that the test can cut. */
export function connectLive({ port, user, random }: ClientOptions): TestClient {
  let current: WebSocket | undefined;
  const client = createLiveClient({
    connect() {
      const query = user === undefined ? "" : `?user=${user}`;
      current = new WebSocket(`ws://127.0.0.1:${port()}/api/v1/ws${query}`, { perMessageDeflate: false });
      return current as unknown as LiveSocket;
    },
    ...{ random, later: laterIn(10) },
  });
  return { ...client, cut: () => current?.terminate() };
}

/** Waits are shorter in tests. */
const laterIn = (factor: number) => (run: () => void, afterMs: number) => {
  const timer = setTimeout(run, Math.min(afterMs / factor, 5_000));
  return () => clearTimeout(timer);
};
