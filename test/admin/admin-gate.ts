import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll } from "vitest";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { EDGE_RUNTIME, startEdge } from "../../kit/start-edge.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { UNHURRIED } from "../../kit/unhurried.ts";
import { startUnhurriedBridge } from "../../kit/unhurried-bridge.ts";
import { newId, newSecret, systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";

/** A real edge, in workerd on the real bridge or in Node, on a real Redis, for one test file. */
export type AdminGate = {
  readonly url: string;
  readonly token: string;
  readonly redis: Redis;
  readonly redisServer: TestServer;
  /** Ends what the edge asks: the bridge, or Redis itself where there is none in between. */
  readonly takeStoreAway: () => Promise<void>;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly logLines: () => Promise<readonly Record<string, unknown>[]>;
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: Body };

type Body = Readonly<Record<string, unknown>>;

type CallOptions = {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

export const SETTINGS = { name: "Launch", maxActive: 5, admissionRate: 2.5 };

/** Of the form that the edge gives to sessions and passes. */
export const newSessionId = () => newId(systemRandom);

export async function startAdminGate(variables: Readonly<Record<string, string>> = {}): Promise<AdminGate> {
  const [token, bridgeToken] = [newSecret(systemRandom), newSecret(systemRandom)];
  const redisServer = await borrowRedis({ fsync: "no" });
  const redis = new Redis(redisServer.url);
  const bridge = await startUnhurriedBridge({ redisUrl: redisServer.url, token: bridgeToken });
  const logFile = join(await temporaryFolder(), "edge.log");
  const key = await newTokenKey("k1");
  const edge = await startEdge({
    logFile,
    originAddress: "127.0.0.1:1",
    storeAddress: `127.0.0.1:${bridge.port}`,
    redisUrl: redisServer.url,
    variables: {
      // Every call comes from its own address, so that a test file may make any number of calls.
      CLIENT_ADDRESS_FROM: "cloudflare",
      SLUICE_ADMIN_TOKEN: token,
      SLUICE_SIGNING_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: bridgeToken,
      ...UNHURRIED,
      ...variables,
    },
  });

  afterAll(async () => {
    redis.disconnect();
    await edge.stop();
    await bridge.stop();
  });

  const takeStoreAway = EDGE_RUNTIME === "worker" ? bridge.stop : redisServer.stop;
  let calls = 0;
  async function call(method: string, path: string, { json, body, headers = {} }: CallOptions = {}): Promise<Answer> {
    calls++;
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "cf-connecting-ip": `10.0.${calls >> 8}.${calls & 255}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    };
    const sent = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(`${edge.url}/_sluice${path}`, sent === undefined ? init : { ...init, body: sent });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text !== "" && isJson(response) ? (JSON.parse(text) as Body) : {},
    };
  }

  const logLines = async () =>
    (await readFile(logFile, "utf8"))
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  return { url: edge.url, token, redis, redisServer, takeStoreAway, call, logLines };
}

function isJson(response: Response): boolean {
  return /json/.test(response.headers.get("content-type") ?? "");
}
