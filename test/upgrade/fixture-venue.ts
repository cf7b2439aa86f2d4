import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTokenForge } from "../../kit/token-forge.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { type Child, startChild } from "../../stack/servers/child.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { answersOk, waitUntilReady } from "../../stack/servers/wait-until-ready.ts";
import { FIXTURE_SECRETS } from "./recorded.ts";

/**
 * Processes of a venue on existing stores, each with its own roles, and its API over HTTP. Calls no code of the venue
 * directly.
 */
export type FixtureVenue = {
  /** Started without waiting for it. */
  readonly launch: (roles: string) => Promise<{ readonly child: Child; readonly healthUrl: string }>;
  readonly start: (roles: string) => Promise<Child>;
  readonly call: (
    method: string,
    path: string,
    options?: { readonly token?: string; readonly json?: unknown },
  ) => Promise<Answer>;
  /** `npm run sluice -- …`, beside the api process or while nothing runs. */
  readonly sluice: (args: readonly string[], input?: string) => string;
};

export type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

type Stores = {
  readonly folder: string;
  readonly redisUrl: string;
  /** Embedded in the data folder unless given. */
  readonly databaseUrl?: string;
  readonly dataFolder?: string;
};

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LOADER = ["--import", fileURLToPath(new URL("../../stack/program/lua-loader.ts", import.meta.url))];

export async function openFixtureVenue({
  folder,
  redisUrl,
  databaseUrl,
  dataFolder = `${folder}/api`,
}: Stores): Promise<FixtureVenue> {
  const forge = await createTokenForge({ kind: "pass", nowSeconds: Math.floor(Date.now() / 1_000) });
  const { d: _d, ...publicKey } = forge.jwk;
  const key = await newTokenKey("key-1");
  await mkdir(dataFolder, { recursive: true });
  let apiPort = 0;
  const environment = {
    ...process.env,
    ...FIXTURE_SECRETS,
    VENUE_REDIS_URL: redisUrl,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    SLUICE_JWKS: JSON.stringify({ keys: [publicKey] }),
    SLUICE_IDENTITY_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
    // The tables are written when a worker stops, and not before.
    SLUICE_SYNC_SECONDS: "3600",
    SLUICE_AUDIT_MINUTES: "0",
    SLUICE_LOG_LEVEL: "warn",
  };

  async function launch(roles: string) {
    const port = await freePort();
    if (roles.includes("api")) apiPort = port;
    const own = {
      SLUICE_ROLES: roles,
      SLUICE_ORIGIN_PORT: String(port),
      SLUICE_DATA_DIR: roles.includes("api") ? dataFolder : `${folder}/${roles}`,
    };
    const args = [...LOADER, `${ROOT}origin/main.ts`];
    const child = startChild({
      name: roles,
      command: process.execPath,
      args,
      environment: { ...environment, ...own },
      stopWithinMs: 10_000,
    });
    return { child, healthUrl: `http://127.0.0.1:${port}/health` };
  }

  async function start(roles: string): Promise<Child> {
    const { child, healthUrl } = await launch(roles);
    await waitUntilReady({ child, probe: () => answersOk(healthUrl) });
    return child;
  }

  async function call(
    method: string,
    path: string,
    { token, json }: { readonly token?: string; readonly json?: unknown } = {},
  ): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1${path}`, {
      method,
      headers: {
        "x-sluice-pass": await forge.token(),
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-host": "venue.test",
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Answer["body"]) };
  }

  function sluice(args: readonly string[], input = ""): string {
    const isAudit = args[0] === "audit";
    const file = isAudit ? "audit-main.ts" : "main.ts";
    const rest = isAudit ? args.slice(1) : args;
    const env = { ...environment, SLUICE_DATA_DIR: dataFolder };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...LOADER, `${ROOT}origin/operators/${file}`, ...rest],
      {
        input,
        env,
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  }

  return { launch, start, call, sluice };
}

/** Ends it as a power failure does. */
export async function kill(child: Child): Promise<void> {
  process.kill(child.pid, "SIGKILL");
  await child.exited;
}

export async function eventually<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 400; tries++) {
    const value = await ask().catch(() => undefined);
    if (value !== undefined) return value;
    await sleep(50);
  }
  throw new Error("it did not come about in 20 s");
}
