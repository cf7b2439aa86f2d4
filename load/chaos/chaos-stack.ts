import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueueSettings } from "../../edge/line/settings.ts";
import { type FaultyWire, startFaultyWire } from "../../kit/faulty-wire.ts";
import { entryWithClock, nodeOptionsWithClock } from "../../kit/wrong-clock.ts";
import { assert } from "../../shared/assert.ts";
import { systemRandom } from "../../shared/ids.ts";
import { bridgePart, edgePart, originPart, type Part, type PlanOptions, planStack } from "../../stack/plan-stack.ts";
import { loadOrCreateSecrets } from "../../stack/secrets.ts";
import { WORKER_ENTRY } from "../../stack/servers/edge-server.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { waitUntilHealthy } from "../../stack/servers/wait-until-ready.ts";
import { parseStackSettings } from "../../stack/settings.ts";
import { createRedisLineWatch } from "../target/redis-line-watch.ts";
import { setUpQueue } from "../target/set-up-queue.ts";
import type { Target } from "../target/target.ts";
import { startPostgresPart } from "./postgres-part.ts";
import { type StackPart, startPart } from "./stack-part.ts";

/**
 * The whole product, each part a process that can be killed separately: four edges, two bridges, an api process, an
 * engine with a standby, a worker, both Redis servers and a real PostgreSQL. Wires that can drop or replace replies sit
 * in front of the bridges and of the venue's Redis.
 */
export type ChaosStack = {
  readonly target: Target;
  readonly folder: string;
  readonly lineUrl: string;
  readonly venueUrl: string;
  readonly databaseUrl: string;
  readonly parts: Readonly<Record<PartName, StackPart>>;
  /** Between edges and bridges. */
  readonly bridgeWires: readonly FaultyWire[];
  /** Between the origins and their Redis. */
  readonly venueWire: FaultyWire;
  /** Every edge reports that all parts are healthy. */
  readonly untilHealthy: (withinMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const PART_NAMES = [
  ...(["postgres", "line-redis", "venue-redis", "bridge-1", "bridge-2"] as const),
  ...(["engine-1", "engine-2", "worker", "api", "edge-1", "edge-2", "edge-3", "edge-4"] as const),
] as const;
export type PartName = (typeof PART_NAMES)[number];

type ChaosOptions = { readonly queue: Pick<QueueSettings, "maxActive" | "admissionRate"> & Partial<QueueSettings> };

type ClockOff = [withClock?: Parameters<typeof startPart>[1]];

const QUEUE_ID = "venue";
const EDGE_COUNT = 4;
const BRIDGE_COUNT = 2;
const STARTED_WITHIN_MS = 60_000;
/** All requests come from one address, and no limit per address may apply. */
const ROOM_FOR_ALL = { SLUICE_JOINS_PER_ADDRESS: "100000", SLUICE_REQUESTS_PER_ADDRESS: "100000" };

export async function startChaosStack({ queue }: ChaosOptions): Promise<ChaosStack> {
  const started: { readonly stop: () => Promise<void> }[] = [];
  const folder = await mkdtemp(join(tmpdir(), "sluice-chaos-"));
  const stop = async () => {
    for (const one of started.toReversed()) await one.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const keep = <Started extends { readonly stop: () => Promise<void> }>(one: Started): Started => {
    started.push(one);
    return one;
  };
  try {
    await mkdir(join(folder, "logs"));
    const postgres = keep(await startPostgresPart());
    const options = await planOptions(folder, postgres.url);
    const { parts: planned, lineUrl, bridgedUrl, venueUrl } = await planStack(options);
    assert(lineUrl !== undefined && bridgedUrl !== undefined, "both Redis servers are our own");
    const start = async (part: Part | undefined, ...clock: ClockOff) => {
      assert(part !== undefined, "the part was planned");
      return keep(await startPart(part, ...clock));
    };
    const byName = new Map(planned.map((part) => [part.name, part]));
    const lineRedis = await start(byName.get("line-redis"));
    const venueRedis = await start(byName.get("venue-redis"));

    const venueWire = keep(await startFaultyWire(Number(new URL(venueUrl).port)));
    const wiredVenueUrl = venueUrl.replace(/[^@]*$/, venueWire.address);
    const origin = async (name: string, roles: string) => {
      const port = name === "api" ? options.settings.SLUICE_ORIGIN_PORT : await freePort();
      const settings = { ...options.settings, SLUICE_ORIGIN_PORT: port };
      const withEnvironment = (more: NodeJS.ProcessEnv) =>
        originPart({
          ...{ ...options, settings, name, venueUrl: wiredVenueUrl },
          environment: { ...options.environment, SLUICE_ROLES: roles, ...more },
        });
      return start(withEnvironment({}), async (offMs) =>
        withEnvironment({ NODE_OPTIONS: nodeOptionsWithClock(offMs) }),
      );
    };
    const bridges: StackPart[] = [];
    const bridgeWires: FaultyWire[] = [];
    for (let index = 1; index <= BRIDGE_COUNT; index++) {
      const port = await freePort();
      const settings = { ...options.settings, SLUICE_BRIDGE_PORT: port };
      bridges.push(await start(bridgePart({ ...options, settings, name: `bridge-${index}`, lineUrl: bridgedUrl })));
      bridgeWires.push(keep(await startFaultyWire(port)));
    }
    const [engine1, engine2] = [await origin("engine-1", "engine"), await origin("engine-2", "engine")];
    const worker = await origin("worker", "worker");
    const api = await origin("api", "api");
    const edges: StackPart[] = [];
    const urls: string[] = [];
    for (let index = 1; index <= EDGE_COUNT; index++) {
      const port = index === 1 ? options.settings.SLUICE_PORT : await freePort();
      const bridgePort = Number(bridgeWires[index % BRIDGE_COUNT]?.address.split(":")[1]);
      const settings = { ...options.settings, SLUICE_PORT: port, SLUICE_BRIDGE_PORT: bridgePort };
      const edge = { ...options, settings, name: `edge-${index}`, lineUrl };
      const withClock = async (offMs: number) =>
        edgePart({
          ...edge,
          entryFile: await entryWithClock({ runtime: "worker", entryFile: WORKER_ENTRY, folder, offMs }),
        });
      edges.push(await start(edgePart(edge), withClock));
      urls.push(`http://127.0.0.1:${port}`);
    }

    const all = [postgres, lineRedis, venueRedis, ...bridges, engine1, engine2, worker, api, ...edges];
    const untilHealthy = async (withinMs: number) => {
      for (const url of urls) await waitUntilHealthy(url, withinMs);
    };
    await untilHealthy(STARTED_WITHIN_MS);
    const target = await openTarget({ urls, lineUrl, adminToken: options.secrets.adminToken, queue });
    keep(target);
    return {
      ...{ target, folder, lineUrl, venueUrl, databaseUrl: postgres.url, bridgeWires, venueWire, untilHealthy, stop },
      parts: Object.fromEntries(all.map((part) => [part.name, part])) as Record<PartName, StackPart>,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function planOptions(folder: string, databaseUrl: string): Promise<PlanOptions> {
  const inherited = Object.fromEntries(
    ["PATH", "HOME", "TMPDIR", "LANG", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name]]),
  );
  const environment = {
    ...inherited,
    ...ROOM_FOR_ALL,
    DATABASE_URL: databaseUrl,
    SLUICE_AUDIT_MINUTES: "0",
    SLUICE_SYNC_SECONDS: "2",
  };
  const settings = parseStackSettings({
    ...environment,
    SLUICE_DATA_DIR: folder,
    CLIENT_ADDRESS_FROM: "cloudflare",
    SLUICE_PORT: String(await freePort()),
    SLUICE_ORIGIN_PORT: String(await freePort()),
    SLUICE_BRIDGE_PORT: String(await freePort()),
  });
  assert(settings.ok, "the settings of this stack are our own");
  return {
    settings: settings.value,
    secrets: await loadOrCreateSecrets(folder, systemRandom),
    environment,
    folder,
    watch: false,
  };
}

type TargetPlan = ChaosOptions & {
  readonly urls: readonly string[];
  readonly lineUrl: string;
  readonly adminToken: string;
};

async function openTarget({ urls: [first = "", ...others], lineUrl, adminToken, queue }: TargetPlan): Promise<Target> {
  const urls = [first, ...others] as const;
  const limits = await setUpQueue({ urls, adminToken, queueId: QUEUE_ID, queue });
  const watch = createRedisLineWatch({ redisUrl: lineUrl, queueId: QUEUE_ID });
  const what = `its own stack (${EDGE_COUNT} × workerd, ${BRIDGE_COUNT} bridges, engine and standby, PostgreSQL)`;
  return {
    what,
    urls,
    queueId: QUEUE_ID,
    path: "/demo/",
    limits,
    watch,
    own: undefined,
    stop: async () => watch.stop(),
  };
}
