import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { SignJWT } from "jose";
import { z } from "zod";
import { knownKeys } from "../../origin/admission/known-keys.ts";
import { createPassCheck } from "../../origin/admission/pass-check.ts";
import { programOperation } from "../../origin/api/operation.ts";
import { sealKeysVariable } from "../../origin/api-keys/seal.ts";
import { createOriginApp } from "../../origin/app.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { PROCESS_LIMITS } from "../../origin/limits/limit-table.ts";
import type { ProcessLimits } from "../../origin/limits/process-limits.ts";
import { createLogger } from "../../origin/log.ts";
import { openTrading } from "../../origin/open-trading.ts";
import { openVenue } from "../../origin/open-venue.ts";
import { newOrderSchema } from "../../origin/orders/new-order-schema.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { DEFAULT_ISSUER, TOKEN_ALGORITHM, tokenAudience, tokenType } from "../../shared/admission.ts";
import { systemClock } from "../../shared/clock.ts";
import { createLimit } from "../../shared/limit.ts";
import { newTokenKey } from "../../shared/new-token-key.ts";
import { queueIdSchema } from "../../shared/queue-id.ts";
import { importTokenKey } from "../../shared/token-keys.ts";

/**
 * The venue as the process under measurement: every role in it, as `npm start` has it, with people who have money, without limits on how
 * often they may ask, and with one route more, which does nothing. Who they are it writes into a file, then it listens.
 */
const environment = z
  .object({ BENCH_PORT: z.coerce.number(), BENCH_FOLDER: z.string(), BENCH_USERS: z.coerce.number(), VENUE_REDIS_URL: z.string() })
  .parse(process.env);

const DEPOSITS = { idr: 10n ** 16n, btc: 10n ** 14n };
const SECONDS = 3_600;

const log = createLogger("orders-server");
const redis = connectRedis(environment.VENUE_REDIS_URL, log);
await once(redis, "ready");
const database = await openDatabase({ url: undefined, folder: join(environment.BENCH_FOLDER, "postgres") });
const trading = openTrading({
  settings: { SLUICE_ROLES: ["api", "engine", "worker"], SLUICE_UNSAFE_STORE: true, VENUE_REDIS_URL: environment.VENUE_REDIS_URL },
  database,
  clock: systemClock,
  log,
});
const key = await newTokenKey("bench");
const venue = await openVenue({
  settings: {
    SLUICE_IDENTITY_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
    SLUICE_VENUE_SECRET: "a secret of benchmarks, at least 32 long",
    SLUICE_SEAL_KEYS: sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": "c2VhbC1rZXktb2YtdGVzdHMtMzItYnl0ZXMtbG9uZyE" } })),
    SLUICE_ISSUER: DEFAULT_ISSUER,
    SLUICE_REQUESTS_PER_ADDRESS: 1_000_000,
  },
  redis,
  database,
  commands: trading.commands,
  clock: systemClock,
  log,
});

/** Newer than anything that the record says. */
await redis.hset("config:system", { revision: 1_000_000, max_open_orders: 10_000 });

const { d: _d, ...publicKey } = key;
const checkPass = createPassCheck({ keys: await knownKeys([publicKey]), issuer: DEFAULT_ISSUER, queueIds: "any", clock: systemClock, log });
const names = Object.keys(PROCESS_LIMITS) as (keyof ProcessLimits)[];
const limits = Object.fromEntries(names.map((name) => [name, createLimit({ name, perSecond: 1e6, burst: 1e6, clock: systemClock })]));

const doNothing = programOperation({
  method: "post",
  path: "/nothing",
  id: "doNothing",
  summary: "What every request costs that is signed in and has a body",
  limit: "trade",
  permission: "trade",
  body: { schema: newOrderSchema },
  answers: { 201: { description: "Nothing was done." } },
  refusals: [],
  run: async ({ answer }) => answer(201, { id: "1", status: "open" }),
});

await writeFile(join(environment.BENCH_FOLDER, "people.json"), JSON.stringify({ pass: await signPass(), tokens: await gatherPeople() }));
const operations = [...venue.operations, doNothing];
const app = createOriginApp({
  venueRedis: redis,
  database,
  trading,
  checkPass,
  log,
  ...venue,
  operations,
  limits: limits as ProcessLimits,
});
const server = createAdaptorServer({ fetch: app.fetch }) as Server;
server.listen(environment.BENCH_PORT, "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));

async function gatherPeople(): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < environment.BENCH_USERS; index++) {
    const account = { username: `person_${index}`, email: `person_${index}@bench.invalid`, password: `a long secret of number ${index}` };
    const registered = await venue.accounts.register(account, { address: `192.0.2.${index}`, userAgent: "bench" });
    if (!registered.ok) throw new Error("a person could not register");
    tokens.push(registered.value.accessToken);
    for (const [currency, amount] of Object.entries(DEPOSITS)) {
      const command = { kind: "deposit", user: registered.value.user.id, currency, amount, reference: currency } as const;
      while ((await trading.commands.submit(command)).kind !== "committed") await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return tokens;
}

async function signPass(): Promise<string> {
  const now = Math.floor(systemClock.nowMs() / 1000);
  return new SignJWT({ jti: "B".repeat(22) })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: tokenType("pass"), kid: key.kid })
    .setIssuer(DEFAULT_ISSUER)
    .setAudience(tokenAudience("pass", queueIdSchema.parse("venue")))
    .setSubject("A".repeat(22))
    .setIssuedAt(now)
    .setExpirationTime(now + SECONDS)
    .sign(await importTokenKey(key));
}
