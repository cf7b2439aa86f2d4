import { Redis } from "ioredis";
import { afterAll } from "vitest";
import { borrowPostgres, borrowRedis } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { createSeal, sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import type { Database } from "../../origin/db/database.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { openKnownBoard } from "../../origin/prices/board/known-board.ts";
import { createPublish } from "../../origin/prices/board/publish-board.ts";
import { keepFetching } from "../../origin/prices/fetch/keep-fetching.ts";
import { seedPrices } from "../../origin/prices/fetch/seed.ts";
import { keepHistory } from "../../origin/prices/history/keep-history.ts";
import { type ItemChange, type NewItem, newItemSchema } from "../../origin/prices/items/item.ts";
import { createItemAdmin } from "../../origin/prices/items/item-admin.ts";
import {
  type ProviderDescription,
  providerDescriptionSchema,
} from "../../origin/prices/providers/describe-provider.ts";
import { createFetchQuotes } from "../../origin/prices/providers/fetch-quotes.ts";
import { INCLUDED_PROVIDERS } from "../../origin/prices/providers/included-providers.ts";
import { createProviderAdmin } from "../../origin/prices/providers/provider-admin.ts";
import { createSecretsOf } from "../../origin/prices/providers/provider-secrets.ts";
import { createSendRequest } from "../../origin/prices/providers/request-provider.ts";
import { systemRandom } from "../../shared/ids.ts";
import { createLogger } from "../../stack/program/log.ts";
import { SEAL_KEY } from "../venue/venue.ts";

/** Tracked prices on a real Redis and a real PostgreSQL, with a clock that the test moves. */

const ACTOR = COMMAND_LINE;
const ANSWER_MS_MAX = 300;

type WorldOptions = {
  readonly startAt: string;
  readonly privateHosts?: readonly string[];
  readonly isEmbedded?: boolean;
};

export async function startPricesWorld({ startAt, privateHosts = [], isEmbedded = false }: WorldOptions) {
  const hosts = [...privateHosts];
  let nowMs = Date.parse(startAt);
  const clock = { nowMs: () => nowMs };
  const logged: string[] = [];
  const log = createLogger("prices-test", { write: (line) => void logged.push(line) });
  const postgres = isEmbedded ? undefined : await borrowPostgres();
  const database = await openDatabase({ url: postgres?.url, folder: `${await temporaryFolder()}/postgres` });
  const redisServer = await borrowRedis({ fsync: "no" });
  const redis = new Redis(redisServer.url);
  redis.on("error", () => {});
  const seal = createSeal(
    sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": SEAL_KEY } })),
    systemRandom,
  );
  const publish = createPublish({ database, redis, nowMs: clock.nowMs });
  const board = openKnownBoard({ redis, clock, log });
  const items = createItemAdmin({ database, hasProvider: async () => true, publish });
  const providers = createProviderAdmin({ database, seal, clock, publish });
  await seedPrices(database, { nowMs, withDemo: true });
  afterAll(async () => {
    board.stop();
    redis.disconnect();
    await database.close();
  });

  const fetchQuotes = createFetchQuotes({
    send: createSendRequest({ privateHosts: hosts, answerMsMax: ANSWER_MS_MAX }),
    redis,
    sleep: async () => {},
  });
  const secretsOf = createSecretsOf(seal);

  /** A worker process, as far as fetching is concerned. */
  const newWorker = (on: Database = database) =>
    keepFetching({ database: on, fetchQuotes, secretsOf, publish, clock, log, everyMs: null });
  const worker = newWorker();
  const history = keepHistory({ database, clock, log, everyMs: null });

  return {
    ...{
      database,
      redis,
      redisServer,
      postgres,
      clock,
      logged,
      log,
      items,
      providers,
      worker,
      newWorker,
      history,
      publish,
    },
    ...{ fetchQuotes, secretsOf, seal },
    allowHost: (host: string) => void hosts.push(host),
    board: async () => {
      await board.refresh();
      return board.current();
    },
    setTime: (at: string | number) => {
      nowMs = typeof at === "number" ? at : Date.parse(at);
    },
    /** The only enabled provider is this one, and it has these items. */
    use: async (provider: string, itemCodes: readonly string[], change: ItemChange = {}) => {
      for (const itemCode of itemCodes) await items.change(ACTOR, itemCode, { provider, ...change });
    },
    addItem: (item: Partial<NewItem> & Pick<NewItem, "itemCode" | "provider">) =>
      items.create(
        ACTOR,
        newItemSchema.parse({ itemType: "currency", displayName: { fa: "ف", en: item.itemCode, ar: "ع" }, ...item }),
      ),
    /** An included provider, moved to a fake one. */
    point: async (provider: string, url: string, change: Record<string, unknown> = {}) => {
      const included = INCLUDED_PROVIDERS.find((one) => one.provider === provider);
      const description = movedTo(included?.description as ProviderDescription, url, change);
      const secrets = { token: "token-of-tests", key: "key-of-tests" };
      return providers.put(ACTOR, { provider, name: provider, enabled: true, description, secrets });
    },
    disable: async (provider: string) => {
      const row = await providers.find(provider);
      if (row !== undefined) await providers.put(ACTOR, { ...row, enabled: false, secrets: {} });
    },
    priceOf: async (itemCode: string) => {
      const [row] = (await database.query(
        "SELECT trim_scale(price)::text AS price, data_age, source, trim_scale(change)::text AS change, trim_scale(change_percent)::text AS percent, trim_scale(provider_change_percent)::text AS stated, trim_scale(high24h)::text AS high, trim_scale(low24h)::text AS low, metadata FROM current_prices WHERE item_code = $1",
        [itemCode],
      )) as readonly PriceRow[];
      return row;
    },
  };
}

type PriceRow = {
  readonly price: string;
  readonly data_age: string;
  readonly source: string;
  readonly change: string | null;
  readonly percent: string | null;
  readonly stated: string | null;
  readonly high: string;
  readonly low: string;
  readonly metadata: Readonly<Record<string, unknown>>;
};

function movedTo(description: ProviderDescription, url: string, change: Record<string, unknown>): ProviderDescription {
  if (description.kind !== "http") return description;
  const requests = description.requests.map((request) => {
    const { pathname, search } = new URL(request.url.replaceAll(/[{}]/g, "_"));
    return { ...request, url: url + pathname + search.replaceAll(/_(secret:\w+?)_$/g, "{$1}") };
  });
  return providerDescriptionSchema.parse({ ...description, requests, minSeconds: 0, ...change });
}
