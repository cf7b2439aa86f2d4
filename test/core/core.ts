import { Redis } from "ioredis";
import { afterAll } from "vitest";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import type { Database } from "../../origin/db/database.ts";
import type { CommandBody, PlaceOrder } from "../../origin/engine/command.ts";
import { openTrading, type Trading } from "../../origin/open-trading.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { systemClock } from "../../shared/clock.ts";
import { createLogger } from "../../stack/program/log.ts";

/** The way of an order on a real Redis, in this process, without HTTP. */
export type TestCore = {
  readonly trading: Trading;
  readonly server: VenueRedis;
  readonly redis: Redis;
  readonly logged: readonly string[];
  /** Submits, and asserts that it was committed. */
  readonly commit: (body: CommandBody) => Promise<Extract<Submitted, { kind: "committed" }>>;
  /** Another process's part on the same Redis. */
  readonly again: (options?: CoreOptions) => Promise<TestCore>;
};

/** Borrowed or of the test's own. */
type VenueRedis = Pick<TestServer, "url" | "port">;

type CoreOptions = Partial<Parameters<typeof openTrading>[0]["settings"]> & {
  readonly hasTrades?: boolean;
  readonly connect?: typeof connectRedis;
  readonly nameBounds?: Parameters<typeof openTrading>[0]["nameBounds"];
};

export async function startCore(options: CoreOptions = {}): Promise<TestCore & { readonly server: TestServer }> {
  const server = await borrowRedis({ fsync: "always" });
  return { ...(await openCore(server, options)), server };
}

export async function openCore(
  server: VenueRedis,
  { hasTrades = false, connect = connectRedis, nameBounds, ...settings }: CoreOptions = {},
): Promise<TestCore> {
  const logged: string[] = [];
  const log = createLogger("core-test", { write: (line) => void logged.push(line) });
  const redis = new Redis(server.url);
  redis.on("error", () => {});
  const trading = openTrading({
    settings: {
      SLUICE_ROLES: ["api", "engine", "worker"],
      SLUICE_UNSAFE_STORE: false,
      VENUE_REDIS_URL: server.url,
      ...settings,
    },
    database: ledgerThatHas(hasTrades),
    clock: systemClock,
    log,
    connect,
    nameBounds,
  });
  afterAll(async () => {
    await trading.stop();
    redis.disconnect();
  });
  return {
    trading,
    server,
    redis,
    logged,
    async commit(body) {
      const answer = await trading.commands.submit(body);
      if (answer.kind !== "committed") throw new Error(`${answer.kind}: ${JSON.stringify(answer)}`);
      return answer;
    },
    again: (again) => openCore(server, again),
  };
}

/** The answers to the two queries about the ledger. */
function ledgerThatHas(isThere: boolean): Database {
  const query = async () => [{ is_there: isThere }];
  return {
    query,
    transaction: async () => Promise.reject(new Error("no transactions")),
    ping: async () => {},
    close: async () => {},
  };
}

export async function until(condition: () => Promise<boolean> | boolean, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("the condition did not come about in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const engineIs = (core: TestCore, role: string) =>
  until(() => core.trading.health().some(({ name, detail }) => name === "engine" && detail?.startsWith(role) === true));

export const deposit = (user: string, currency: string, amount: bigint, reference = ""): CommandBody => ({
  ...{ kind: "deposit", user, currency, amount, reference },
});

export function limitOrder(
  order: Pick<PlaceOrder, "user" | "side" | "ticks" | "lots"> & Partial<PlaceOrder>,
): PlaceOrder {
  return {
    kind: "place",
    pair: "btcidr",
    grid: 1,
    type: "limit",
    quoteAmount: 0n,
    timeInForce: "GTC",
    postOnly: false,
    selfTrade: "cancelNewest",
    clientOrderId: "",
    openOrdersMax: 1_000,
    ...order,
  };
}
