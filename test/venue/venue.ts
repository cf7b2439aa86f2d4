import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, expect, vi } from "vitest";
import { borrowPostgres, borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createTokenForge, ISSUER } from "../../kit/token-forge.ts";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { createPassCheck } from "../../origin/accounts/admission/admission.ts";
import { knownKeys } from "../../origin/accounts/admission/known-keys.ts";
import { sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import type { Accounts } from "../../origin/accounts/identity/accounts.ts";
import { createOriginApp } from "../../origin/app.ts";
import type { Database } from "../../origin/db/database.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { type HttpServer, startHttpServer } from "../../origin/http-server.ts";
import { createLiveServer } from "../../origin/live/live-server.ts";
import { openLiveHost } from "../../origin/live/open-live-host.ts";
import { openMarket } from "../../origin/open-market.ts";
import { openRecord } from "../../origin/open-record.ts";
import { openTrading } from "../../origin/open-trading.ts";
import { openVenue } from "../../origin/open-venue.ts";
import type { DepositByHand } from "../../origin/operators/deposit-by-hand.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { openHistory } from "../../origin/record/history/history.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { watchStalls } from "../../origin/system/watch-stalls.ts";
import { watchVenue } from "../../origin/system/watch-venue.ts";
import type { Clock } from "../../shared/clock.ts";
import { systemClock } from "../../shared/clock.ts";
import { systemRandom as random } from "../../shared/ids.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";
import { createLogger } from "../../stack/program/log.ts";

/** The two kinds of database. */
export const DATABASES = ["embedded", "server"] as const;
/**
 * Both kinds run the same statements, and most files here use a server: `npm test` repeats the others on the embedded
 * database only.
 */
export const DATABASES_TESTED = IS_FULL_RUN ? DATABASES : (["embedded"] as const);

/** Creating an embedded database takes CPU time that other tests may need as well. */
export const START_MS_MAX = 180_000;

/**
 * The venue's whole app on a real Redis and a real PostgreSQL, called like the edge does: with a pass and the visitor's
 * address.
 */
export type TestVenue = {
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly register: (name: string, options?: CallOptions) => Promise<Answer>;
  readonly login: (name: string, options?: CallOptions & { readonly password?: string }) => Promise<Answer>;
  /** Creates an admin as the command line does, and signs in. */
  readonly signInAdmin: (name: string) => Promise<Answer>;
  readonly pass: () => Promise<string>;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Method and path of every route that the app answers. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** On a port, with sockets; with its own clock where the sockets' time matters. */
  readonly listen: (options?: { readonly clock?: Clock }) => Promise<HttpServer>;
  readonly accounts: Accounts;
  readonly readSession: Opened["readSession"];
  /** Signs access tokens. */
  readonly identityKey: PrivateTokenKey;
  readonly deposit: DepositByHand;
  readonly redis: Redis;
  readonly redisServer: TestServer;
  readonly database: Database;
  /** Only of a venue on a PostgreSQL server. */
  readonly postgres: TestServer;
  readonly logged: readonly string[];
  readonly folder: string;
  /** The same stores, opened by another app, as in another process. */
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

/** A test password. */
export const passwordOf = (name: string) =>
  `a long password of ${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;

export const SEAL_KEY = "c2VhbC1rZXktb2YtdGVzdHMtMzItYnl0ZXMtbG9uZyE";
const LIVE = { SLUICE_SOCKETS_PER_ADDRESS: 10_000, SLUICE_LIVE_BOOK_MS: 20, SLUICE_LIVE_SUMMARY_MS: 50 };

type VenueOptions = {
  readonly kept?: NonNullable<Parameters<typeof openRecord>[0]["kept"]>;
  readonly auditMinutes?: number;
  /** All of them by default, as `npm start` has it. */
  readonly roles?: readonly ("api" | "engine" | "worker")[];
};

export async function startVenue(
  kind: (typeof DATABASES)[number] = "server",
  options: VenueOptions = {},
): Promise<TestVenue> {
  const folder = await temporaryFolder();
  const postgres = kind === "server" ? await borrowPostgres() : undefined;
  const openOne = () => openDatabase({ url: postgres?.url, folder: `${folder}/postgres` });
  // The embedded database has one owner; further apps share it.
  const embedded = kind === "embedded" ? await openOne() : undefined;
  const redisServer = await borrowRedis({ fsync: "always" });
  afterAll(() => embedded?.close());
  const key = await newTokenKey("key-1");
  const settings = {
    SLUICE_IDENTITY_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
    SLUICE_VENUE_SECRET: "a secret of tests, at least 32 long",
    SLUICE_SEAL_KEYS: sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": SEAL_KEY } })),
    SLUICE_ISSUER: ISSUER,
    SLUICE_REQUESTS_PER_ADDRESS: 10_000,
    SLUICE_PRICE_HOSTS: [],
  };
  const record = async () => embedded ?? (await openOne());
  const venue = await openTestVenue({ folder, postgres, record, redisServer, settings, identityKey: key, options });
  await untilOpen(venue);
  return venue;
}

/** A new venue trades once its engine leads and its first pairs are committed. */
const untilOpen = ({ call }: TestVenue) =>
  vi.waitFor(async () => expect((await call("GET", "/market/pairs")).body["pairs"]).toHaveLength(4), {
    timeout: 20_000,
    interval: 50,
  });

/** As by default, except for the backlog's bound and faster tables. */
const RECORD = { SLUICE_SYNC_SECONDS: 1, SLUICE_AUDIT_MINUTES: 60, SLUICE_BACKLOG_MB: 1, SLUICE_ARCHIVE_DAYS: 90 };

type Stores = Pick<TestVenue, "folder" | "redisServer" | "identityKey"> & {
  readonly postgres: TestServer | undefined;
  readonly record: () => Promise<Database>;
  readonly settings: VenueSettings;
  readonly options?: VenueOptions | undefined;
  readonly clock?: Clock;
};

type VenueSettings = Parameters<typeof openVenue>[0]["settings"];

/** On existing stores. */
export async function openTestVenue(stores: Stores): Promise<TestVenue> {
  const { clock = systemClock } = stores;
  const logged: string[] = [];
  const log = createLogger("venue-test", { write: (line) => void logged.push(line) });
  const venueRedis = connectRedis(stores.redisServer.url, log);
  await new Promise((resolve) => venueRedis.once("ready", resolve));
  const database = await stores.record();
  const objects = folderArchive(`${stores.folder}/archive`);
  const archive = orderArchive(objects);
  const places = { VENUE_REDIS_URL: stores.redisServer.url, DATABASE_URL: stores.postgres?.url };
  const {
    kept,
    auditMinutes = RECORD.SLUICE_AUDIT_MINUTES,
    roles = ["api", "engine", "worker"],
  } = stores.options ?? {};
  const trades = { SLUICE_ROLES: [...roles], SLUICE_UNSAFE_STORE: false };
  const parts = { settings: { ...trades, ...places }, database, clock, log };
  const recorded = { ...trades, ...RECORD, ...places, SLUICE_AUDIT_MINUTES: auditMinutes };
  const record = openRecord({ ...parts, settings: recorded, archive, ...(kept && { kept }) });
  const trading = openTrading({ ...parts, refusalOf: record.refusalOf });
  const market = openMarket({ ...parts, settings: recorded, objects, feed: trading.feed, flushMs: 20 });
  const watched = watchVenue({ redis: venueRedis, folder: stores.folder, log });
  const stalls = watchStalls({ log });
  const venue = await openVenue({
    ...{ settings: stores.settings, redis: venueRedis, database, objects, commands: trading.commands, clock, log },
    ...{
      history: openHistory({ database, archive }),
      metrics: () => record.metrics() + market.metrics() + watched.metrics() + stalls.metrics(),
    },
  });
  const forge = await createTokenForge({ kind: "pass", nowSeconds: Math.floor(Date.now() / 1000) });
  const { d: _d, ...publicKey } = forge.jwk;
  const keys = await knownKeys([publicKey]);
  const checkPass = createPassCheck({ keys, issuer: ISSUER, queueIds: "any", clock: { nowMs: Date.now }, log });
  const app = createOriginApp({ venueRedis, clock, database, checkPass, log, trading, record, market, ...venue });
  const redis = new Redis(stores.redisServer.url);
  redis.on("error", () => {});
  afterAll(async () => {
    watched.stop();
    stalls.stop();
    await venue.stop();
    await market.stop();
    await trading.stop();
    await record.stop();
    redis.disconnect();
    venueRedis.disconnect();
    await database.close().catch(() => {});
  });

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const {
      json,
      token,
      address = "192.0.2.1",
      headers = {},
      body = json === undefined ? undefined : JSON.stringify(json),
    } = options;
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
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? (JSON.parse(text) as Json) : {},
    };
  }

  const login: TestVenue["login"] = (name, { password = passwordOf(name), ...options } = {}) =>
    call("POST", "/auth/login", { json: { username: name, password }, ...options });

  return {
    call,
    login,
    signInAdmin: async (name) => {
      const account = {
        username: name,
        email: `${name}@example.test`,
        password: passwordOf(name),
        role: "admin",
      } as const;
      await venue.accounts.createBy(COMMAND_LINE, account);
      return login(name);
    },
    register: (name, options) =>
      call("POST", "/auth/register", {
        json: { username: name, email: `${name}@example.test`, password: passwordOf(name) },
        ...options,
      }),
    pass: () => forge.token(),
    fetch: app.fetch,
    routes: app.routes,
    listen: async ({ clock = { nowMs: Date.now } } = {}) => {
      const settings = { ...LIVE, VENUE_REDIS_URL: stores.redisServer.url };
      const host = openLiveHost({ settings, clock, random, log, ...venue });
      const live = createLiveServer({ host, checkPass, log, ...venue });
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
    again: (changed, options = stores.options) =>
      openTestVenue({ ...stores, options, settings: { ...stores.settings, ...changed } }),
  };
}
