import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, expect, vi } from "vitest";
import { COMMAND_LINE } from "../../origin/admin/audit.ts";
import { knownKeys } from "../../origin/admission/known-keys.ts";
import { createPassCheck } from "../../origin/admission/pass-check.ts";
import { sealKeysVariable } from "../../origin/api-keys/seal.ts";
import { createOriginApp } from "../../origin/app.ts";
import { folderArchive } from "../../origin/archive/folder-archive.ts";
import { orderArchive } from "../../origin/archive/order-archive.ts";
import type { Database } from "../../origin/db/database.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { openHistory } from "../../origin/history/history.ts";
import { type HttpServer, startHttpServer } from "../../origin/http-server.ts";
import type { Accounts } from "../../origin/identity/accounts.ts";
import { createLiveServer } from "../../origin/live/live-server.ts";
import { createLogger } from "../../origin/log.ts";
import { watchVenue } from "../../origin/metrics/watch-venue.ts";
import { openRecord } from "../../origin/open-record.ts";
import { openTrading } from "../../origin/open-trading.ts";
import { openVenue } from "../../origin/open-venue.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { type RedisServer, startRedisServer } from "../../origin/stack/redis-server.ts";
import { watchStalls } from "../../origin/stalls/watch-stalls.ts";
import type { DepositByHand } from "../../origin/wallets/deposit-by-hand.ts";
import { PASS_HEADER } from "../../shared/admission.ts";
import type { Clock } from "../../shared/clock.ts";
import { systemClock } from "../../shared/clock.ts";
import { systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/token-keys.ts";
import { type PostgresServer, startPostgresServer } from "../parts/postgres-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { createTokenForge, ISSUER } from "../parts/token-forge.ts";

/** The two kinds of database; what is told of one holds for the other. */
export const DATABASES = ["embedded", "server"] as const;

/** An embedded database is made by a processor that others may need as well. */
export const START_MS_MAX = 180_000;

/** The venue's whole app on a real Redis and a real PostgreSQL, asked as the edge asks it: with a pass and the visitor's address. */
export type TestVenue = {
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly register: (name: string, options?: CallOptions) => Promise<Answer>;
  readonly login: (name: string, options?: CallOptions & { readonly password?: string }) => Promise<Answer>;
  /** Makes an admin as the command line does, and signs in. */
  readonly signInAdmin: (name: string) => Promise<Answer>;
  readonly pass: () => Promise<string>;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Method and path of every route that the app answers. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** On the wire, sockets included; by a clock of its own where the sockets' time matters. */
  readonly listen: (options?: { readonly clock?: Clock }) => Promise<HttpServer>;
  readonly accounts: Accounts;
  readonly readSession: Opened["readSession"];
  /** Signs access tokens. */
  readonly identityKey: PrivateTokenKey;
  readonly deposit: DepositByHand;
  readonly redis: Redis;
  readonly redisServer: RedisServer;
  readonly database: Database;
  /** Of a venue on a server alone. */
  readonly postgres: PostgresServer;
  readonly logged: readonly string[];
  readonly folder: string;
  /** The same stores, opened by another process's app. */
  readonly again: (settings?: Partial<VenueSettings>, options?: VenueOptions) => Promise<TestVenue>;
};

type Opened = Awaited<ReturnType<typeof openVenue>>;

export type CallOptions = {
  readonly json?: unknown;
  readonly token?: string | undefined;
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Json; readonly text: string };

export type Json = { readonly [name: string]: unknown } & {
  readonly code?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly sessionId?: string;
};

/** Nobody's password in earnest. */
export const passwordOf = (name: string) => `a long password of ${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;

export const SEAL_KEY = "c2VhbC1rZXktb2YtdGVzdHMtMzItYnl0ZXMtbG9uZyE";

type VenueOptions = {
  readonly kept?: NonNullable<Parameters<typeof openRecord>[0]["kept"]>;
  readonly auditMinutes?: number;
  /** All of them by default, as `npm start` has it. */
  readonly roles?: readonly ("api" | "engine" | "worker")[];
};

export async function startVenue(kind: (typeof DATABASES)[number] = "server", options: VenueOptions = {}): Promise<TestVenue> {
  const folder = await temporaryFolder();
  const postgres = kind === "server" ? await startPostgresServer(folder) : undefined;
  const openOne = () => openDatabase({ url: postgres?.url, folder: `${folder}/postgres` });
  // The embedded database has one owner; whoever else is opened on it shares it.
  const embedded = kind === "embedded" ? await openOne() : undefined;
  const redisServer = await startRedisServer({ folder: `${folder}/redis`, fsync: "always" });
  afterAll(async () => {
    await redisServer.stop();
    await postgres?.stop();
    await embedded?.close();
  });
  const key = await newTokenKey("key-1");
  const settings = {
    SLUICE_IDENTITY_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
    SLUICE_VENUE_SECRET: "a secret of tests, at least 32 long",
    SLUICE_SEAL_KEYS: sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": SEAL_KEY } })),
    SLUICE_ISSUER: ISSUER,
    SLUICE_REQUESTS_PER_ADDRESS: 10_000,
  };
  const record = async () => embedded ?? (await openOne());
  const venue = await openTestVenue({ folder, postgres, record, redisServer, settings, identityKey: key, options });
  await untilOpen(venue);
  return venue;
}

/** A new venue trades once its engine has the lead and has told its first pairs. */
const untilOpen = ({ call }: TestVenue) =>
  vi.waitFor(async () => expect((await call("GET", "/market/pairs")).body["pairs"]).toHaveLength(4), { timeout: 20_000, interval: 50 });

/** Everything but the backlog's bound is as by default, the tables a little quicker. */
const RECORD = { SLUICE_SYNC_SECONDS: 1, SLUICE_AUDIT_MINUTES: 60, SLUICE_BACKLOG_MB: 1, SLUICE_ARCHIVE_DAYS: 90 };

type Stores = Pick<TestVenue, "folder" | "redisServer" | "identityKey"> & {
  readonly postgres: PostgresServer | undefined;
  readonly record: () => Promise<Database>;
  readonly settings: VenueSettings;
  readonly options?: VenueOptions | undefined;
  readonly clock?: Clock;
};

type VenueSettings = Parameters<typeof openVenue>[0]["settings"];

/** On stores that are there. */
export async function openTestVenue(stores: Stores): Promise<TestVenue> {
  const { clock = systemClock } = stores;
  const logged: string[] = [];
  const log = createLogger("venue-test", { write: (line) => void logged.push(line) });
  const venueRedis = connectRedis(stores.redisServer.url, log);
  await new Promise((resolve) => venueRedis.once("ready", resolve));
  const database = await stores.record();
  const archive = orderArchive(folderArchive(`${stores.folder}/archive`));
  const places = { VENUE_REDIS_URL: stores.redisServer.url, DATABASE_URL: stores.postgres?.url };
  const { kept, auditMinutes = RECORD.SLUICE_AUDIT_MINUTES, roles = ["api", "engine", "worker"] } = stores.options ?? {};
  const trades = { SLUICE_ROLES: [...roles], SLUICE_UNSAFE_STORE: false };
  const record = openRecord({
    ...{ settings: { ...trades, ...RECORD, ...places, SLUICE_AUDIT_MINUTES: auditMinutes }, database, archive, clock, log },
    ...(kept && { kept }),
  });
  const trading = openTrading({ settings: { ...trades, ...places }, database, refusalOf: record.refusalOf, clock, log });
  const watched = watchVenue({ redis: venueRedis, folder: stores.folder, log });
  const stalls = watchStalls({ log });
  const venue = await openVenue({
    ...{ settings: stores.settings, redis: venueRedis, database, commands: trading.commands, clock, log },
    ...{ history: openHistory({ database, archive }), metrics: () => record.metrics() + watched.metrics() + stalls.metrics() },
  });
  const forge = await createTokenForge({ kind: "pass", nowSeconds: Math.floor(Date.now() / 1000) });
  const { d: _d, ...publicKey } = forge.jwk;
  const keys = await knownKeys([publicKey]);
  const checkPass = createPassCheck({ keys, issuer: ISSUER, queueIds: "any", clock: { nowMs: Date.now }, log });
  const app = createOriginApp({ venueRedis, database, checkPass, log, trading, record, ...venue });
  const redis = new Redis(stores.redisServer.url);
  redis.on("error", () => {});
  afterAll(async () => {
    watched.stop();
    stalls.stop();
    await venue.stop();
    await trading.stop();
    await record.stop();
    redis.disconnect();
    venueRedis.disconnect();
    await database.close().catch(() => {});
  });

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { json, token, address = "192.0.2.1", headers = {}, body = json === undefined ? undefined : JSON.stringify(json) } = options;
    const response = await app.request(`http://venue.test/api/v1${path}`, {
      method,
      headers: {
        [PASS_HEADER]: await forge.token(),
        "x-forwarded-for": address,
        "x-forwarded-host": "venue.test",
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, body: isJson && text !== "" ? (JSON.parse(text) as Json) : {} };
  }

  const login: TestVenue["login"] = (name, { password = passwordOf(name), ...options } = {}) =>
    call("POST", "/auth/login", { json: { username: name, password }, ...options });

  return {
    call,
    login,
    signInAdmin: async (name) => {
      const account = { username: name, email: `${name}@example.test`, password: passwordOf(name), role: "admin" } as const;
      await venue.accounts.createBy(COMMAND_LINE, account);
      return login(name);
    },
    register: (name, options) =>
      call("POST", "/auth/register", { json: { username: name, email: `${name}@example.test`, password: passwordOf(name) }, ...options }),
    pass: () => forge.token(),
    fetch: app.fetch,
    routes: app.routes,
    listen: async ({ clock = { nowMs: Date.now } } = {}) => {
      const live = createLiveServer({ checkPass, clock, random: systemRandom, log, ...venue });
      const server = await startHttpServer({ app, live, port: 0 });
      afterAll(server.stop);
      return server;
    },
    accounts: venue.accounts,
    readSession: venue.readSession,
    identityKey: stores.identityKey,
    deposit: venue.deposit,
    redis,
    redisServer: stores.redisServer,
    database,
    get postgres() {
      if (stores.postgres === undefined) throw new Error("the embedded database is no server");
      return stores.postgres;
    },
    logged,
    folder: stores.folder,
    again: (changed, options = stores.options) => openTestVenue({ ...stores, options, settings: { ...stores.settings, ...changed } }),
  };
}
