import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll } from "vitest";
import type { Bridge } from "../../bridge/bridge.ts";
import { openRegistry, type Registry } from "../../edge/line/registry.ts";
import { type QueueSettings, queueSettingsSchema } from "../../edge/line/settings.ts";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { startEdge as startOneEdge } from "../../kit/start-edge.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { UNHURRIED } from "../../kit/unhurried.ts";
import { startUnhurriedBridge } from "../../kit/unhurried-bridge.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";
import type { EdgeServer } from "../../stack/servers/edge-server.ts";
import { type RecordingOrigin, startRecordingOrigin } from "../proxy/recording-origin.ts";

/** Real edges, in workerd on a real bridge or in Node, on a real Redis before a real Node origin, for one test file. */
export type GateStack = {
  readonly edges: readonly EdgeServer[];
  readonly url: string;
  readonly origin: RecordingOrigin;
  readonly redisServer: TestServer;
  readonly redis: Redis;
  readonly registry: Registry;
  readonly bridge: Bridge;
  readonly key: PrivateTokenKey;
  /**
   * Writes a queue with the route `/{id}/*`; resolves when every edge knows it. set-up.test.ts measures how long edges
   * take.
   */
  readonly setQueue: (queueId: string, settings?: Partial<QueueSettings>) => Promise<void>;
  /** Replaces the whole table, likewise; there must be a queue. */
  readonly setRoutes: Registry["writeRoutes"];
  readonly startEdge: (options?: EdgeOptions) => Promise<EdgeServer>;
  readonly logFiles: readonly string[];
};

type EdgeOptions = {
  readonly storeAddress?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly clockOffMs?: number;
  /** Whether requests came over https, as on Cloudflare; the worker only. */
  readonly isHttps?: boolean;
};

type StackOptions = EdgeOptions & { readonly edgeCount?: number };

/** An edge of this stack, and its operator token. */
type OperatedEdge = EdgeServer & { readonly adminToken: string };

const EDGE_KNOWS_WITHIN_MS = 10_000;

export async function startGateStack({ edgeCount = 1, ...options }: StackOptions = {}): Promise<GateStack> {
  const redisServer = await borrowRedis({ fsync: "no" });
  const redis = new Redis(redisServer.url);
  // A test may take the server away; ioredis repeats each failure as an event.
  redis.on("error", () => {});
  const token = newSecret(systemRandom);
  const bridge = await startUnhurriedBridge({ redisUrl: redisServer.url, token });
  const bridgeAddress = `127.0.0.1:${bridge.port}`;
  const origin = await startRecordingOrigin();
  const key = await newTokenKey("key-1");
  const edges: OperatedEdge[] = [];
  const logFiles: string[] = [];

  async function startEdge({
    storeAddress = bridgeAddress,
    variables = {},
    ...entry
  }: EdgeOptions = options): Promise<EdgeServer> {
    const logFile = join(await temporaryFolder(), "edge.log");
    const adminToken = variables["SLUICE_ADMIN_TOKEN"] ?? options.variables?.["SLUICE_ADMIN_TOKEN"] ?? token;
    const edge = await startOneEdge({
      logFile,
      originAddress: origin.address,
      storeAddress,
      // Another address than the bridge's is a wire that breaks HTTP, so then the edge on Node is to speak it as well.
      ...(storeAddress === bridgeAddress && { redisUrl: redisServer.url }),
      ...entry,
      variables: {
        CLIENT_ADDRESS_FROM: "socket",
        ORIGIN_TIMEOUT_MS: "5000",
        UPSTASH_REDIS_REST_URL: `http://${storeAddress}`,
        UPSTASH_REDIS_REST_TOKEN: token,
        SLUICE_SIGNING_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
        SLUICE_JOINS_PER_ADDRESS: "10000",
        SLUICE_ADMIN_TOKEN: adminToken,
        ...UNHURRIED,
        ...options.variables,
        ...variables,
      },
    });
    edges.push({ ...edge, adminToken });
    logFiles.push(logFile);
    return edge;
  }

  for (let index = 0; index < edgeCount; index++) await startEdge();
  afterAll(async () => {
    redis.disconnect();
    await Promise.all(edges.map((edge) => edge.stop()));
    await origin.stop();
    await bridge.stop();
  });

  const registry = openRegistry(scriptRunner(redis));
  const queueIds = new Set<string>();
  let changes = 0;
  let lastChange: Promise<void> = Promise.resolve();

  /** Concurrent tests of one file share the table of routes: two changes at once could write an older table last. */
  function inTurn(change: () => Promise<void>): Promise<void> {
    const ended = lastChange.then(change);
    lastChange = ended.catch(() => {});
    return ended;
  }

  async function writeQueue(queueId: string, settings: Partial<QueueSettings> = {}): Promise<void> {
    const whole = queueSettingsSchema.parse({
      name: `Queue ${queueId}`,
      maxActive: 100,
      admissionRate: 100,
      admissionBurst: 100,
      ...settings,
    });
    const before = (await registry.readQueue(queueId))?.version ?? 0;
    const version = await registry.writeQueue(queueId, whole, before);
    if (typeof version !== "number") throw new Error(`${queueId} could not be written: ${JSON.stringify(version)}`);
    // Edges learn of the last one.
    queueIds.delete(queueId);
    queueIds.add(queueId);
    await writeRoutes([...queueIds].map((id) => ({ host: "*", path: `/${id}/*`, queueId: id })));
  }

  async function writeRoutes(...table: Parameters<Registry["writeRoutes"]>): Promise<void> {
    await registry.writeRoutes(...table);
    const queueId = [...queueIds].at(-1) ?? "";
    for (const edge of edges.filter(({ child }) => !child.hasExited()))
      await tell(edge, queueId, `Queue ${queueId} v${changes++}`);
  }

  const [first] = edges;
  if (first === undefined) throw new Error("a stack has at least one edge");
  return {
    edges,
    url: first.url,
    origin,
    redisServer,
    redis,
    registry,
    bridge,
    key,
    setQueue: (...queue) => inTurn(() => writeQueue(...queue)),
    setRoutes: (...table) => inTurn(() => writeRoutes(...table)),
    startEdge,
    logFiles,
  };
}

/**
 * An edge reads everything again at once that operators set up when one of them changes something there, as a name that
 * tells when it has.
 */
async function tell({ url, adminToken }: OperatedEdge, queueId: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const change = { method: "PATCH", headers, body: JSON.stringify({ name }) };
  const deadline = steadyNowMs() + EDGE_KNOWS_WITHIN_MS;
  while (steadyNowMs() < deadline) {
    const changed = await fetch(`${url}/_sluice/admin/queues/${queueId}`, change);
    const known = await fetch(`${url}/_sluice/queues/${queueId}`);
    const body = (await known.json()) as { name?: string };
    if (changed.ok && known.ok && body.name === name) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`an edge did not learn of ${queueId}`);
}
