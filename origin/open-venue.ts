import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import { systemRandom } from "../shared/ids.ts";
import { parseKeyring } from "../shared/tokens/keyring.ts";
import { createAudited } from "./accounts/admin/audited.ts";
import { keepSettling } from "./accounts/admin/settle-intents.ts";
import { createFreezing, createUserAdmin } from "./accounts/admin/user-admin.ts";
import { createApiKeys } from "./accounts/api-keys/api-keys.ts";
import { openKeyCopies } from "./accounts/api-keys/key-copies.ts";
import { noteKeyUses } from "./accounts/api-keys/key-queries.ts";
import { createSeal } from "./accounts/api-keys/seal.ts";
import { createVenueKeys } from "./accounts/api-keys/venue-keys.ts";
import { createSignatureVerifier } from "./accounts/api-keys/verify-signature.ts";
import { createAccessTokens } from "./accounts/identity/access-tokens.ts";
import { type Accounts, createAccounts } from "./accounts/identity/accounts.ts";
import { createAccountCopy } from "./accounts/identity/copy-account.ts";
import { keepCopies } from "./accounts/identity/keep-copies.ts";
import { createPasswords } from "./accounts/identity/passwords.ts";
import { createRefreshTokens } from "./accounts/identity/refresh-tokens.ts";
import { hideWith, keyFor } from "./accounts/identity/secrets.ts";
import { createSessionReader, type ReadSession } from "./accounts/identity/session-reader.ts";
import { openSessions } from "./accounts/identity/sessions.ts";
import { createSignInGuard } from "./accounts/identity/sign-in-guard.ts";
import { openUserCopies } from "./accounts/identity/user-copies.ts";
import { noteLogins } from "./accounts/identity/user-queries.ts";
import { createProcessLimits, type ProcessLimits } from "./accounts/limits/process-limits.ts";
import { openStoreLimits } from "./accounts/limits/store-limits.ts";
import { accountOperations } from "./api/accounts/account-operations.ts";
import { adminOperations } from "./api/accounts/admin-operations.ts";
import { apiKeyOperations } from "./api/accounts/api-key-operations.ts";
import { sessionOperations } from "./api/accounts/session-operations.ts";
import { venueKeyOperations } from "./api/accounts/venue-key-operations.ts";
import { type Authenticate, createAuthentication } from "./api/authenticate.ts";
import { withDocument } from "./api/document-operations.ts";
import type { VenueOperation } from "./api/operation.ts";
import type { Maintenance } from "./api/serve-operation.ts";
import type { Commands } from "./commit/submit/commands.ts";
import type { Database } from "./db/database.ts";
import { createLateNotes } from "./db/late-notes.ts";
import type { OriginSettings } from "./environment.ts";
import { connectionOperations } from "./live/connection-operations.ts";
import { liveOperations } from "./live/live-operations.ts";
import { createSignIn } from "./live/sign-in.ts";
import type { SignIn } from "./live/sockets/live-identity.ts";
import type { ObjectStore } from "./market/history/candle-archive.ts";
import { openTradingApi } from "./open-trading-api.ts";
import type { DepositByHand } from "./operators/deposit-by-hand.ts";
import type { PriceReads } from "./prices/api/price-reads.ts";
import { openPricesApi } from "./prices/open-prices.ts";
import { openAuctionRecords } from "./record/auctions/auction-records.ts";
import { type History, openHistory } from "./record/history/history.ts";
import { connectRawBeside } from "./redis/connect.ts";
import { untilReady } from "./redis/until-ready.ts";
import { metricsOperation } from "./system/metrics-operation.ts";
import { systemOperations } from "./system/system-operations.ts";
import { openSystemSettings } from "./system/system-settings.ts";

/** Everything that the routes of `/api/v1` need. */
type Venue = {
  readonly operations: readonly VenueOperation[];
  readonly authenticate: Authenticate;
  readonly limits: ProcessLimits;
  readonly isReady: () => boolean;
  readonly maintenance: () => Maintenance | undefined;
  readonly readSession: ReadSession;
  /** For sockets. */
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly deposit: DepositByHand;
  readonly prices: PriceReads;
  readonly stop: () => Promise<void>;
};

type VenueParts = {
  readonly settings: Pick<
    OriginSettings,
    | "SLUICE_IDENTITY_KEYS"
    | "SLUICE_ISSUER"
    | "SLUICE_REQUESTS_PER_ADDRESS"
    | "SLUICE_VENUE_SECRET"
    | "SLUICE_SEAL_KEYS"
    | "SLUICE_PRICE_HOSTS"
  >;
  readonly redis: Redis;
  readonly database: Database;
  readonly commands: Commands;
  /** For candles that have left Redis. */
  readonly objects: ObjectStore;
  /** Without an archive by default. */
  readonly history?: History;
  /** Metrics of this process and of the permanent record, as Prometheus text. */
  readonly metrics?: () => string;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * When Redis is unavailable or there are very many accounts, the venue starts before its copies are complete and
 * answers 503 until then.
 */
const FIRST_TRY_MS = 5_000;

export async function openVenue({
  settings,
  redis,
  database,
  objects,
  commands,
  history,
  metrics,
  clock,
  log,
}: VenueParts): Promise<Venue> {
  const keyring = await parseKeyring(settings.SLUICE_IDENTITY_KEYS);
  if (!keyring.ok) throw new Error(keyring.reason.map((fault) => `SLUICE_IDENTITY_KEYS: ${fault}`).join("\n"));
  const random = systemRandom;
  const limits = openStoreLimits(redis);
  const hide = hideWith(keyFor("address", settings.SLUICE_VENUE_SECRET));
  const accessTokens = createAccessTokens({ keyring: keyring.value, issuer: settings.SLUICE_ISSUER, random });
  const refreshTokens = createRefreshTokens({ key: keyFor("refresh-token", settings.SLUICE_VENUE_SECRET), random });
  const sessions = openSessions({ redis, refreshTokens, random });
  const guard = createSignInGuard({ redis, limits, hide, nowMs: clock.nowMs });
  const copies = openUserCopies(redis);
  const passwords = await createPasswords();
  const copyAccount = createAccountCopy({ copies, sessions, passwords });
  const loginNotes = createLateNotes({
    what: "sign-ins",
    write: async (noted) => Promise.all((await noteLogins.all(database, noted)).map((user) => copies.put(user))),
    log,
  });
  const rawRedis = connectRawBeside(redis, log);
  const readSession = createSessionReader({ redis, rawRedis, accessTokens, clock });
  const accounts = createAccounts({
    database,
    copies,
    copyAccount,
    loginNotes,
    passwords,
    sessions,
    accessTokens,
    refreshTokens,
    guard,
    limits,
    hide,
    clock,
    random,
    log,
  });

  const system = openSystemSettings({ database, redis, log });
  const seal = createSeal(settings.SLUICE_SEAL_KEYS, random);
  const keyCopies = openKeyCopies(redis);
  const apiKeys = createApiKeys({ database, copies: keyCopies, seal, random, clock });
  const venueKeys = createVenueKeys({ database, seal, random });
  const keyNotes = createLateNotes({ what: "uses of keys", write: (noted) => noteKeyUses.all(database, noted), log });
  const verifySignature = createSignatureVerifier({ copies: keyCopies, seal, notes: keyNotes, clock });
  const audited = createAudited({ database, log });
  const settling = keepSettling({ database, commands, audited, nowMs: clock.nowMs, log });
  const users = createUserAdmin({ database, copies, copyAccount, sessions, audited, freeze: createFreezing(commands) });
  const trading = openTradingApi({
    ...{ redis, commands, audited, users: copies, secret: settings.SLUICE_VENUE_SECRET, log },
    openOrdersMax: system.openOrdersMax,
    history: history ?? openHistory({ database }),
    records: openAuctionRecords(database),
    ...{ database, objects, nowMs: clock.nowMs },
  });
  const prices = openPricesApi({
    ...{ database, redis, seal, readSession, hide, clock, log },
    privateHosts: settings.SLUICE_PRICE_HOSTS,
  });
  const kept = keepCopies(
    {
      database,
      redis,
      copies,
      copyAccount,
      log,
      alsoCopy: [system.copy, apiKeys.copy, venueKeys.reseal, prices.reseal],
      isAlsoReady: trading.isReady,
    },
    clock.nowMs(),
  );
  const firstTry = Promise.all([kept.firstTry, untilReady(rawRedis, FIRST_TRY_MS)]);
  await Promise.race([firstTry, sleep(FIRST_TRY_MS, undefined, { ref: false })]);

  return {
    operations: withDocument([
      ...accountOperations({ accounts, sessions, maintenance: system.maintenance }),
      ...sessionOperations(sessions),
      ...apiKeyOperations({ apiKeys, clock }),
      ...venueKeyOperations(venueKeys),
      ...adminOperations({ users, database }),
      ...systemOperations(system),
      ...(metrics === undefined ? [] : [metricsOperation(metrics)]),
      ...trading.operations,
      ...prices.operations,
      ...liveOperations,
      ...connectionOperations({ redis }),
    ]),
    maintenance: system.maintenance,
    authenticate: createAuthentication({ readSession, verifySignature }),
    isReady: kept.isReady,
    limits: createProcessLimits(clock, { requestsPerAddress: settings.SLUICE_REQUESTS_PER_ADDRESS }),
    accounts,
    readSession,
    signIn: createSignIn({ readSession, verifySignature }),
    deposit: trading.deposit,
    prices: prices.reads,
    stop: async () => {
      trading.stop();
      prices.stop();
      settling.stop();
      kept.stop();
      loginNotes.stop();
      keyNotes.stop();
      rawRedis.disconnect();
      system.stop();
    },
  };
}
