import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTokens } from "../../../edge/tokens/tokens.ts";
import { assert } from "../../../shared/assert.ts";
import { newId, newSecret, systemRandom } from "../../../shared/ids.ts";
import { queueIdSchema } from "../../../shared/queue-id.ts";
import { DEFAULT_ISSUER, PASS_HEADER } from "../../../shared/tokens/admission.ts";
import { parseKeyring } from "../../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { startNodeServer } from "../http/node-server.ts";
import { pinProcess } from "../pinned.ts";

/** The whole origin on one core, its Redis and the load on the other, and users with accounts. */
export type IdentityStack = {
  readonly url: string;
  /** The headers that the edge would add to every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly people: readonly Person[];
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
};

export type Person = {
  readonly username: string;
  readonly accessToken: string;
  readonly key: { readonly id: string; readonly secret: string };
};

export const SUBJECT_CORE = 1;
export const OTHER_CORE = 0;
export const PASSWORD = "a password of benchmarks";
const LUA_LOADER = fileURLToPath(new URL("../../../stack/program/lua-loader.ts", import.meta.url));
const ORIGIN = fileURLToPath(new URL("../../../origin/main.ts", import.meta.url));
const PASS_MS = 3_600_000;
/** All requests come from a few addresses. */
const REQUESTS_PER_ADDRESS = "1000000";
const AT_ONCE = 8;
/** The embedded database is created first. */
const DATABASE_WITHIN_MS = 60_000;

export async function startIdentityStack({
  count,
  nowMs,
}: {
  readonly count: number;
  readonly nowMs: number;
}): Promise<IdentityStack> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const redis = await startRedisServer({ folder: join(folder, "redis"), fsync: "always" });
  pinProcess(redis.child.pid, OTHER_CORE);
  const gateKey = await newTokenKey("gate");
  const venueKey = await newTokenKey("venue");
  const { d: _private, ...publicKey } = gateKey;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const origin = await startNodeServer({
    core: SUBJECT_CORE,
    file: ORIGIN,
    environment: {
      NODE_OPTIONS: `--import=${LUA_LOADER}`,
      SLUICE_ORIGIN_PORT: String(port),
      SLUICE_DATA_DIR: folder,
      VENUE_REDIS_URL: redis.url,
      SLUICE_JWKS: JSON.stringify({ keys: [publicKey] }),
      SLUICE_IDENTITY_KEYS: JSON.stringify({ active: venueKey.kid, keys: [venueKey] }),
      SLUICE_VENUE_SECRET: newSecret(systemRandom),
      SLUICE_SEAL_KEYS: JSON.stringify({ active: "1", keys: { "1": newSecret(systemRandom) } }),
      SLUICE_REQUESTS_PER_ADDRESS: REQUESTS_PER_ADDRESS,
    },
    url,
    readyPath: "/health",
    readyWithinMs: DATABASE_WITHIN_MS,
  });
  const headers = { [PASS_HEADER]: await signPass(gateKey, nowMs), "content-type": "application/json" };
  const people: Person[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    people.push(...(await Promise.all(indexes.map((index) => openAccount({ url, headers, index })))));
  }
  return {
    url,
    headers,
    people,
    cpuSeconds: origin.cpuSeconds,
    stop: async () => {
      await origin.stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function signPass(key: Awaited<ReturnType<typeof newTokenKey>>, nowMs: number): Promise<string> {
  const keyring = await parseKeyring(JSON.stringify({ active: key.kid, keys: [key] }));
  assert(keyring.ok, "a new key is valid");
  const ids = { sessionId: newId(systemRandom), jti: newId(systemRandom) };
  const tokens = createTokens({ keyring: keyring.value, issuer: DEFAULT_ISSUER });
  return tokens.signPass({ queueId: queueIdSchema.parse("venue"), ...ids, nowMs, expiresAtMs: nowMs + PASS_MS });
}

type Opening = Pick<IdentityStack, "url" | "headers"> & { readonly index: number };

async function openAccount({ url, headers, index }: Opening): Promise<Person> {
  const username = `bench_${index}`;
  // One address opens fifty accounts at most.
  const own = { ...headers, "x-forwarded-for": `198.51.100.${index}` };
  const account = { username, email: `${username}@example.test`, password: PASSWORD };
  const { accessToken } = await post(`${url}/api/v1/auth/register`, account, own);
  const made = { label: "bench", permissions: ["info"] };
  const key = await post(`${url}/api/v1/api-keys`, made, { ...own, authorization: `Bearer ${accessToken}` });
  return { username, accessToken: String(accessToken), key: { id: String(key["id"]), secret: String(key["secret"]) } };
}

async function post(
  url: string,
  json: object,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, { method: "POST", headers: { ...headers }, body: JSON.stringify(json) });
  if (response.status !== 201) throw new Error(`${url} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
