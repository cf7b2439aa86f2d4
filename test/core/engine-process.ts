import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { createOrderMix } from "../../load/bench/orders/orders-mix.ts";
import type { Database } from "../../origin/db/database.ts";
import { openTrading } from "../../origin/open-trading.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { systemClock } from "../../shared/clock.ts";
import { createLogger } from "../../stack/program/log.ts";
import { REPORTS_FD } from "../../stack/servers/child.ts";

/**
 * A process of the origin for the crash tests: the real parts in the roles of `SLUICE_ROLES`, without HTTP. It can kill
 * itself at a step of its n-th commit (`FAIL_AT`, `FAIL_AFTER`), and it can make orders by itself (`LOAD_SEED`); it
 * reports the answers line by line.
 */
const failAt = process.env["FAIL_AT"] ?? "";
const failAfter = Number(process.env["FAIL_AFTER"] ?? 1);
const loadSeed = process.env["LOAD_SEED"];
const roles = (process.env["SLUICE_ROLES"] ?? "engine,worker").split(",") as ("api" | "engine" | "worker")[];

/** The same ones as in `make-orders.ts`. */
const USERS = 40;

const die = () => process.kill(process.pid, "SIGKILL");
const isFailPoint = (step: string) => failAt === step;

/** The steps of a commit are seen on the connections: the code under test does not know them. */
const connect: typeof connectRedis = (url, log, options) => {
  const redis = connectRedis(url, log, options);
  if (options?.commandTimeoutMs !== undefined) watchCommits(redis);
  if (options?.isRaw === true) watchProjections(redis);
  return redis;
};

const COMMIT_KEYS = 3;

function watchCommits(redis: Redis): void {
  let commits = 0;
  const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  const publish = redis.publish.bind(redis);
  const watched = async (...args: unknown[]) => {
    const isDue = args[1] === COMMIT_KEYS && ++commits >= failAfter;
    if (isDue && isFailPoint("before-commit")) die();
    const reply = evalsha(...args);
    if (isDue && isFailPoint("commit-sent")) setImmediate(die);
    const verdict = await reply;
    if (isDue && isFailPoint("commit-known")) die();
    return verdict;
  };
  Object.assign(redis, {
    evalsha: watched,
    publish: (channel: string, message: string) => {
      if (commits >= failAfter && isFailPoint("before-answer")) die();
      const published = publish(channel, message);
      if (commits >= failAfter && isFailPoint("answer-sent")) setImmediate(die);
      return published;
    },
  });
}

function watchProjections(redis: Redis): void {
  let writes = 0;
  redis.on("ready", () => {
    const socket = redis.stream;
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    Object.assign(socket, {
      write: (...args: unknown[]) => {
        const isDue = String(args[0]).includes("EXEC") && ++writes >= failAfter;
        if (isDue && isFailPoint("before-projection")) die();
        const isFlushed = write(...args);
        if (isDue && isFailPoint("projection-sent")) setImmediate(die);
        return isFlushed;
      },
    });
  });
}

const noLedger: Database = {
  query: async () => [{ is_there: false }],
  transaction: async () => Promise.reject(new Error("no transactions")),
  ping: async () => {},
  close: async () => {},
};

const trading = openTrading({
  settings: { SLUICE_ROLES: roles, SLUICE_UNSAFE_STORE: false, VENUE_REDIS_URL: process.env["VENUE_REDIS_URL"] ?? "" },
  database: noLedger,
  clock: systemClock,
  log: createLogger("engine-process"),
  connect,
});

/** Each answer is written before the next order is made, so that no answer is lost with this process. */
async function makeOrders(seed: number): Promise<never> {
  const mix = createOrderMix(seed, USERS);
  for (const deposit of mix.deposits()) {
    while ((await trading.commands.submit(deposit)).kind === "refused") await sleep(20);
  }
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => trading.commands.submit(mix.next())));
    for (const answer of answers) mix.note(answer);
    const told = answers.filter(({ kind }) => kind === "committed");
    if (told.length > 0)
      writeSync(REPORTS_FD, told.map((answer) => `${JSON.stringify(answer, bigintAsText)}\n`).join(""));
    // A refusal comes at once: without a pause nothing else would ever run.
    if (told.length < answers.length) await sleep(5);
  }
}

const bigintAsText = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);

if (loadSeed !== undefined) void makeOrders(Number(loadSeed));
process.on("SIGTERM", () => void trading.stop().then(() => process.exit(0)));
