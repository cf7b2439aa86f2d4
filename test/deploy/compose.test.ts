import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { parseBridgeEnvironment } from "../../bridge/environment.ts";
import { parseNodeEdgeEnvironment } from "../../edge/node/environment.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { parseOriginEnvironment } from "../../origin/environment.ts";
import { storeFaults } from "../../stack/servers/check-store.ts";
import { startChild } from "../../stack/servers/child.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { waitUntilReady } from "../../stack/servers/wait-until-ready.ts";
import { parseWorkerEnvironment } from "../../stack/worker-environment.ts";

/**
 * Docker may be missing where the tests run, so the files are checked against our parsers, a real Redis and each other.
 */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFile(join(ROOT, file), "utf8");

type Service = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly healthcheck?: unknown;
  readonly restart?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly deploy?: { readonly replicas: number };
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};

const compose = parse(await read("deploy/compose.yaml"), { merge: true }) as Compose;
const cluster = parse(await read("deploy/compose.cluster.yaml"), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const madeEnvironment = readEnv(
  execFileSync(process.execPath, ["deploy/make-env.ts"], { cwd: ROOT, encoding: "utf8" }),
);

/** Docker's interpolation: the variable, or the default after `:-`; with `:?` it is required. */
function interpolated(value: string): string {
  return value.replaceAll(/\$\{([A-Z_]+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const known = madeEnvironment[name];
    if (known !== undefined && known !== "") return known;
    if (kind === "?") throw new Error(`${name} is required and make-env.ts does not make it`);
    return rest;
  });
}

function readEnv(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf("=")),
      line.slice(line.indexOf("=") + 1).replace(/^'(.*)'$/, "$1"),
    ]),
  );
}

const environmentOf = (service: Service | undefined) =>
  Object.fromEntries(Object.entries(service?.environment ?? {}).map(([name, value]) => [name, interpolated(value)]));

/** The parser of a service's environment, by the entry file in its command. */
const READERS = {
  "origin/main.ts": {
    files: ["origin/environment.ts"],
    faultsOf: async (env: Record<string, string>) => faults(parseOriginEnvironment(env)),
  },
  "bridge/main.ts": {
    files: ["bridge/environment.ts"],
    faultsOf: async (env: Record<string, string>) => faults(parseBridgeEnvironment(env)),
  },
  "stack/worker-main.ts": {
    files: ["stack/worker-environment.ts", "shared/environment.ts"],
    faultsOf: async (env: Record<string, string>) => faults(parseWorkerEnvironment(env)),
  },
  "edge/node.ts": {
    files: ["edge/node/environment.ts", "shared/environment.ts"],
    faultsOf: async (env: Record<string, string>) => faults(await parseNodeEdgeEnvironment(env)),
  },
} as const;

const ours = services.filter(([, { image }]) => image === "sluice");
const entryOf = ({ command }: Service) => (command?.at(-1) ?? "origin/main.ts") as keyof typeof READERS;

function faults(result: { readonly ok: boolean; readonly reason?: readonly string[] }): readonly string[] {
  return result.ok ? [] : (result.reason ?? ["?"]);
}

it.each(ours)(
  "starts %s with an environment that its parser accepts, and without unused variables",
  async (_name, service) => {
    const { files, faultsOf } = READERS[entryOf(service)];
    expect(existsSync(join(ROOT, entryOf(service)))).toBe(true);
    expect(await faultsOf(environmentOf(service))).toEqual([]);
    const source = (await Promise.all(files.map(read))).join();
    const unread = Object.keys(service.environment ?? {}).filter(
      (name) => !new RegExp(`\\b${name}\\b`).test(source) && name !== "NODE_OPTIONS",
    );
    expect(unread).toEqual([]);
  },
);

it.each(["edge-node", "bridge"])("gives %s cluster settings that its parser accepts", async (name) => {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`${name} is not there`);
  const { files, faultsOf } = READERS[entryOf(service)];
  const more = environmentOf(cluster.services[name]);
  expect(await faultsOf({ ...environmentOf(service), ...more })).toEqual([]);
  const source = (await Promise.all(files.map(read))).join();
  expect(Object.keys(more).filter((variable) => !source.includes(variable))).toEqual([]);
});

it("runs an engine with a standby, two api processes, two bridges and a worker", () => {
  const roles = ours.flatMap(([, { environment, deploy }]) =>
    environment?.["SLUICE_ROLES"] === undefined ? [] : [[environment["SLUICE_ROLES"], deploy?.replicas ?? 1]],
  );
  expect(Object.fromEntries(roles)).toEqual({ api: 2, engine: 2, worker: 1 });
  expect(compose.services["bridge"]?.deploy?.replicas).toBe(2);
});

it("checks the health of every part, restarts it when it dies, and runs no part as root", async () => {
  for (const [name, service] of services) {
    expect(service.healthcheck, name).toBeDefined();
    expect(service.restart, name).toBe("unless-stopped");
    if (service.image.startsWith("redis")) expect(service.user, name).toBe("redis");
  }
  expect(await read("deploy/Dockerfile")).toMatch(/\nUSER node\n(?![\s\S]*\nUSER )/);
});

it("publishes only the edge, on loopback by default", () => {
  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${interpolated(port)}`));
  expect(published).toEqual(["edge-worker 127.0.0.1:8787:8787", "edge-node 127.0.0.1:8787:8787"]);
});

it.each([
  ["compose.yaml", compose],
  ["compose.cluster.yaml", cluster],
])("names only existing services, volumes and files in %s", (_name, file) => {
  const known = new Set([...Object.keys(compose.services), ...Object.keys(file.services)]);
  for (const service of Object.values(file.services)) {
    for (const needed of Object.keys(service.depends_on ?? {})) expect(known).toContain(needed);
    for (const [source = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
      if (source.startsWith("./")) expect(existsSync(join(ROOT, "deploy", source)), source).toBe(true);
      else expect(Object.keys(file.volumes)).toContain(source);
    }
  }
});

it("requires only secrets that example.env explains", async () => {
  const asked = [...(await read("deploy/compose.yaml")).matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = ""]) => name);
  const example = await read("deploy/example.env");
  expect([...new Set(asked)].filter((name) => !example.includes(`\n${name}=`))).toEqual([]);
  expect(new Set(asked).size).toBeGreaterThan(5);
});

it("generates new secrets each time, and leaves none empty", () => {
  const again = readEnv(execFileSync(process.execPath, ["deploy/make-env.ts"], { cwd: ROOT, encoding: "utf8" }));
  expect(Object.keys(again)).toEqual(Object.keys(madeEnvironment));
  expect(Object.entries(again).filter(([, value]) => value === "")).toEqual([]);
  const secrets = Object.keys(again).filter((name) => /PASSWORD|TOKEN|SECRET|KEYS/.test(name));
  expect(secrets.filter((name) => again[name] === madeEnvironment[name])).toEqual([]);
});

it.each([
  ["line-redis", []],
  ["venue-redis", []],
  // The line accepts fsync every second; the engine refuses it.
  ["line-redis for orders", [expect.stringContaining("appendfsync everysec")]],
])("starts %s with its own command, password and settings on a real server", async (name, storeComplaints) => {
  const service = compose.services[name.split(" ")[0] ?? ""];
  const configuration = service?.volumes?.find((volume) => volume.includes("/etc/sluice.conf"))?.split(":")[0] ?? "";
  const folder = await temporaryFolder();
  const port = await freePort();
  const [shell = "", flag = "", line = ""] = service?.command ?? [];
  const here = line
    .replaceAll("$$", "$")
    .replace("/etc/sluice.conf", join(ROOT, "deploy", configuration))
    .replace("--dir /data --bind 0.0.0.0", `--dir ${folder} --bind 127.0.0.1 --port ${port}`);
  const child = startChild({
    name,
    command: shell,
    args: [flag, here],
    environment: { PATH: process.env["PATH"], PASSWORD: "a-password" },
  });
  const redis = new Redis(`redis://:a-password@127.0.0.1:${port}`, { lazyConnect: true, retryStrategy: () => 50 });
  redis.on("error", () => {});
  try {
    await waitUntilReady({ child, probe: async () => (await redis.ping()) === "PONG" });
    if (!name.startsWith("line-redis") || storeComplaints.length > 0)
      expect(await storeFaults(redis)).toEqual(storeComplaints);
    expect(await redis.config("GET", "maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
    const stranger = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
    stranger.on("error", () => {});
    await expect(stranger.get("x")).rejects.toThrow(/NOAUTH/);
    stranger.disconnect();
  } finally {
    redis.disconnect();
    await child.stop();
  }
});

it("copies into the image only what its commands need, without tests, data or secrets", async () => {
  const ignore = (await read(".dockerignore")).split("\n");
  expect(ignore[0]).toBe("**");
  const copied = [...(await read("deploy/Dockerfile")).matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = ""]) =>
    words.split(" ").slice(0, -1),
  );
  for (const path of copied) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(ignore, path).toContain(`!${path}`);
  }
  for (const [, service] of ours) expect(copied).toContain(dirname(entryOf(service)).split("/")[0]);
});
