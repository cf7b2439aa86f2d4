import { join } from "node:path";
import { EDGE_VARIABLES, pickVariables } from "../shared/environment.ts";
import { JWKS_PATH } from "../shared/tokens/admission.ts";
import type { StackSecrets } from "./secrets.ts";
import type { Child } from "./servers/child.ts";
import {
  bundleWorker,
  startEdgeServer,
  startNodeEdgeServer,
  storeOutbound,
  WORKER_ENTRY,
} from "./servers/edge-server.ts";
import { freePort } from "./servers/free-port.ts";
import { startNode } from "./servers/node-program.ts";
import { startRedisServer } from "./servers/redis-server.ts";
import type { StackSettings } from "./settings.ts";

/** One process of the stack: where it will listen, and how to bring it up. */
export type Part = {
  readonly name: string;
  readonly what: string;
  readonly port: number;
  /** The parts that must be ready before this one starts. */
  readonly needs: readonly string[];
  /** Which variable moves it to another port, for the sentence about a taken one. */
  readonly portVariable: string;
  /** Source folders whose change makes this process worth a restart. */
  readonly sources: readonly string[];
  /** Reports what the part is doing while a start takes long. */
  readonly start: (onProgress?: (progress: string) => void) => Promise<Child>;
  /** Makes a running process reload a change; without it, the process is restarted. */
  readonly rebuild?: () => Promise<void>;
};

type StackPlan = {
  readonly parts: readonly Part[];
  readonly edgeUrl: string;
  /** The line's Redis, unless it is a hosted one. */
  readonly lineUrl: string | undefined;
  /** The same as bridges are given it. */
  readonly bridgedUrl: string | undefined;
  readonly venueUrl: string;
};

export type PlanOptions = {
  readonly settings: StackSettings;
  readonly secrets: StackSecrets;
  /** The parts get some of its variables, beside their settings. */
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly watch: boolean;
};

/** Decides what runs where, in the order of dependencies. Starts nothing. */
export async function planStack(options: PlanOptions): Promise<StackPlan> {
  const { settings, secrets, environment, folder } = options;
  const parts: Part[] = [];
  const addRedis = async (redis: RedisPlan) => {
    const port = redis.port ?? (await freePort());
    const place = { folder: join(folder, redis.name), port, logFile: logFileOf(folder, redis.name) };
    const start: Part["start"] = async (onProgress) =>
      (await startRedisServer({ ...redis, ...place, onProgress })).child;
    parts.push({
      name: redis.name,
      what: redis.what,
      port,
      portVariable: redis.portVariable,
      needs: [],
      sources: [],
      start,
    });
    return { url: redisUrl(redis, port), dataUrl: redisUrl(redis, port, redis.dataUser) };
  };

  const isHosted = settings.UPSTASH_REDIS_REST_URL !== undefined;
  const ownLine =
    isHosted || settings.REDIS_URL !== undefined ? undefined : await addRedis(lineRedis(settings, secrets));
  const lineUrl = settings.REDIS_URL ?? ownLine?.url;
  // The bridge does not inspect scripts, so our own Redis restricts them: unless the user has allowed more, they touch
  // data only.
  const bridgedUrl = environment["SLUICE_BRIDGE_ALLOW"] ? lineUrl : (ownLine?.dataUrl ?? lineUrl);
  // Only workerd cannot speak to Redis itself.
  const isBridged = !isHosted && settings.SLUICE_EDGE === "worker";
  if (isBridged && bridgedUrl !== undefined)
    parts.push(bridgePart({ ...options, name: "bridge", lineUrl: bridgedUrl }));
  const venueUrl = settings.VENUE_REDIS_URL ?? (await addRedis(venueRedis(settings, secrets))).url;
  parts.push(originPart({ ...options, name: "origin", venueUrl }));
  parts.push(edgePart({ ...options, name: "edge", lineUrl }));
  return { parts, edgeUrl: `http://127.0.0.1:${settings.SLUICE_PORT}`, lineUrl, bridgedUrl, venueUrl };
}

const LINE_REDIS = "line-redis";
const VENUE_REDIS = "venue-redis";

/** A store that the user brings is no part of the stack. */
function ownOf(usersUrl: string | undefined, name: string): readonly string[] {
  return usersUrl === undefined ? [name] : [];
}

function redisUrl({ password }: RedisPlan, port: number, user = ""): string {
  return `redis://${user}:${password}@127.0.0.1:${port}`;
}

type RedisPlan = {
  readonly name: string;
  readonly what: string;
  readonly fsync: "always" | "everysec";
  readonly password: string;
  readonly memoryMb?: number;
  readonly dataUser?: string;
  readonly port: number | undefined;
  readonly portVariable: string;
};

function lineRedis(settings: StackSettings, secrets: StackSecrets): RedisPlan {
  const what = "the line's Redis (fsync every second)";
  return {
    name: LINE_REDIS,
    what,
    fsync: "everysec",
    password: secrets.lineRedisPassword,
    dataUser: "bridge",
    port: settings.SLUICE_REDIS_PORT,
    portVariable: "SLUICE_REDIS_PORT",
  };
}

function venueRedis(settings: StackSettings, secrets: StackSecrets): RedisPlan {
  const what = "the venue's Redis (fsync always)";
  const port = settings.SLUICE_VENUE_REDIS_PORT;
  return {
    name: VENUE_REDIS,
    what,
    fsync: "always",
    password: secrets.venueRedisPassword,
    port,
    portVariable: "SLUICE_VENUE_REDIS_PORT",
    memoryMb: settings.SLUICE_VENUE_REDIS_MB,
  };
}

/** A stack has one; a test or load run with several gives each its own name and port (in `settings`). */
export function bridgePart(options: PlanOptions & { readonly name: string; readonly lineUrl: string }): Part {
  const { settings, secrets, name, lineUrl } = options;
  const port = settings.SLUICE_BRIDGE_PORT;
  const own = {
    ...ON_LOOPBACK,
    REDIS_URL: lineUrl,
    SLUICE_BRIDGE_PORT: String(port),
    SLUICE_BRIDGE_TOKEN: secrets.bridgeToken,
  };
  const environment = { ...options.environment, ...own };
  const logFile = logFileOf(options.folder, name);
  const start = () =>
    startNode({
      name,
      file: "bridge/main.ts",
      flags: BRIDGE_FLAGS,
      environment,
      logFile,
      readyUrl: `http://127.0.0.1:${port}/health`,
    });
  return {
    name,
    what: "the line's Redis over HTTP",
    port,
    portVariable: "SLUICE_BRIDGE_PORT",
    needs: ownOf(options.settings.REDIS_URL, LINE_REDIS),
    sources: ["bridge", "stack", "shared"],
    start,
  };
}

/** Likewise, with its roles in `environment`. */
export function originPart(options: PlanOptions & { readonly name: string; readonly venueUrl: string }): Part {
  const { settings, secrets, name, folder, venueUrl, environment: given } = options;
  const port = settings.SLUICE_ORIGIN_PORT;
  const logFile = logFileOf(folder, name);
  const environment = {
    ...given,
    ...ON_LOOPBACK,
    VENUE_REDIS_URL: venueUrl,
    SLUICE_ORIGIN_PORT: String(port),
    SLUICE_DATA_DIR: folder,
    SLUICE_IDENTITY_KEYS: given["SLUICE_IDENTITY_KEYS"] ?? JSON.stringify(secrets.identityKeys),
    SLUICE_VENUE_SECRET: given["SLUICE_VENUE_SECRET"] ?? secrets.venueSecret,
    SLUICE_SEAL_KEYS: given["SLUICE_SEAL_KEYS"] ?? JSON.stringify(secrets.sealKeys),
    ...keySource(options),
  };
  const readyUrl = `http://127.0.0.1:${port}/health`;
  const start: Part["start"] = (onProgress) =>
    startNode({ name, file: "origin/main.ts", flags: ORIGIN_FLAGS, environment, logFile, readyUrl, onProgress });
  return {
    name,
    what: "the venue",
    port,
    portVariable: "SLUICE_ORIGIN_PORT",
    needs: ownOf(options.settings.VENUE_REDIS_URL, VENUE_REDIS),
    sources: ["origin", "bridge", "stack", "shared"],
    start,
  };
}

/** The stack of one machine listens on loopback only, whatever the shell's environment says. */
const ON_LOOPBACK = { SLUICE_HOST: "127.0.0.1" } as const;

/** Where the origin finds the gate's public keys: at the gate, unless the user hands them over. */
function keySource({ settings, environment }: PlanOptions): NodeJS.ProcessEnv {
  return environment["SLUICE_JWKS"] === undefined
    ? { SLUICE_JWKS_URL: `http://127.0.0.1:${settings.SLUICE_PORT}${JWKS_PATH}` }
    : {};
}

type EdgeOptions = PlanOptions & {
  readonly name: string;
  readonly lineUrl: string | undefined;
  /** The gate's own by default. */
  readonly entryFile?: string;
};

/** Likewise. */
export function edgePart(options: EdgeOptions): Part {
  const { settings, secrets, environment, name } = options;
  const port = settings.SLUICE_PORT;
  const variables = {
    ...pickVariables(environment, EDGE_VARIABLES),
    CLIENT_ADDRESS_FROM: settings.CLIENT_ADDRESS_FROM,
    SLUICE_ADMIN_TOKEN: settings.SLUICE_ADMIN_TOKEN ?? secrets.adminToken,
    SLUICE_SIGNING_KEYS: settings.SLUICE_SIGNING_KEYS ?? JSON.stringify(secrets.signingKeys),
    UPSTASH_REDIS_REST_URL: settings.UPSTASH_REDIS_REST_URL ?? `http://127.0.0.1:${settings.SLUICE_BRIDGE_PORT}`,
    UPSTASH_REDIS_REST_TOKEN: settings.UPSTASH_REDIS_REST_TOKEN ?? secrets.bridgeToken,
  };
  const place = {
    port,
    originAddress: `127.0.0.1:${settings.SLUICE_ORIGIN_PORT}`,
    variables,
    logFile: logFileOf(options.folder, name),
  };
  const part = { name, port, portVariable: "SLUICE_PORT", needs: [], sources: ["edge", "shared"] };
  return { ...part, ...(settings.SLUICE_EDGE === "node" ? onNode(options, place) : inWorkerd(options, place)) };
}

type EdgePlace = {
  readonly port: number;
  readonly originAddress: string;
  readonly variables: Readonly<Record<string, string>> & { readonly UPSTASH_REDIS_REST_URL: string };
  readonly logFile: string;
};

function inWorkerd(
  { folder, watch, name, entryFile = WORKER_ENTRY }: EdgeOptions,
  place: EdgePlace,
): Pick<Part, "what" | "start" | "rebuild"> {
  const edgeFolder = join(folder, name);
  const outbound = storeOutbound(place.variables.UPSTASH_REDIS_REST_URL);
  return {
    what: "the gate, in workerd",
    start: async () => (await startEdgeServer({ ...place, entryFile, folder: edgeFolder, ...outbound, watch })).child,
    rebuild: () => bundleWorker(entryFile, edgeFolder),
  };
}

function onNode({ folder, lineUrl, environment }: EdgeOptions, place: EdgePlace): Pick<Part, "what" | "start"> {
  const cluster = pickVariables(environment, ["SLUICE_REDIS_CLUSTER"]);
  const store: Record<string, string> = lineUrl === undefined ? {} : { ...cluster, REDIS_URL: lineUrl };
  const variables = { ...place.variables, ...store, SLUICE_DATA_DIR: folder };
  return { what: "the gate, on Node", start: async () => (await startNodeEdgeServer({ ...place, variables })).child };
}

function logFileOf(folder: string, name: string): string {
  return join(folder, "logs", `${name}.log`);
}

/**
 * V8 lets the young generation of each thread grow to 48 MB and keeps it. Small ones cost nothing that a benchmark
 * finds, and shorten the longest pauses.
 */
const BRIDGE_FLAGS = ["--max-semi-space-size=2"];
/** PGlite's functions are compiled by the optimiser only when they are really busy: it needs 100 MB for those of a start. */
const ORIGIN_FLAGS = ["--max-semi-space-size=4", "--wasm-tiering-budget=100000000"];
