import type { Redis } from "ioredis";
import { conditionalCommand } from "../../kit/engine/conditional-commands.ts";
import { type Random, seededRandom } from "../../kit/random.ts";
import type { QueuedCommand } from "../../origin/commit/command-queue.ts";
import { applyBatch, type Batch } from "../../origin/commit/commit.ts";
import { firstCommands } from "../../origin/commit/first-terms.ts";
import type { Command } from "../../origin/engine/command.ts";
import { createEngine, type Engine } from "../../origin/engine/engine.ts";
import { type JournalEntry, type JournalPosition, START } from "../../origin/journal/journal.ts";
import { JOURNAL_KEY, OFFSET_KEY } from "../../origin/journal/keys.ts";

/** Users who trade with each other without a network: the real engine and real journal entries, from a seed. */
export type TradingWorld = {
  readonly engine: Engine;
  readonly users: readonly string[];
  /** The next journal entry; the first ones set up pairs and balances. */
  readonly next: () => Batch;
  readonly position: () => JournalPosition;
};

type WorldOptions = {
  readonly seed: number;
  readonly userCount?: number;
  readonly atMs?: number;
  /** Time between two batches. */
  readonly stepMs?: number;
  readonly commandsPerBatch?: number;
  /** The share of commands about orders with conditions and lists; none unless told. */
  readonly conditionalShare?: number;
};

type Market = { readonly pair: string; readonly ticks: number };

const PAIRS: readonly [Market, ...Market[]] = [
  { pair: "btcidr", ticks: 1_000_000 },
  { pair: "ethusdt", ticks: 250_000 },
];
const DEPOSITS = [
  { currency: "idr", amount: 10n ** 15n },
  { currency: "usdt", amount: 10n ** 15n },
  { currency: "btc", amount: 10n ** 13n },
  { currency: "eth", amount: 10n ** 13n },
];

export function createTradingWorld(options: WorldOptions): TradingWorld {
  const { seed, userCount = 6, stepMs = 5, commandsPerBatch = 12, conditionalShare = 0 } = options;
  const random = seededRandom(seed);
  const engine = createEngine();
  const users = Array.from(
    { length: userCount },
    (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  );
  let at = options.atMs ?? Date.UTC(2026, 5, 15, 12);
  let position: JournalPosition = START;
  let commandCount = 0;
  let nextOrderId = 1;

  function next(): Batch {
    at += stepMs;
    const queued = position.sequence === 0 ? [...firstCommands(at)] : numbered(commands());
    const batch = applyBatch(engine, () => queued.shift(), { node: "", epoch: 1, before: position });
    if (batch === undefined) throw new Error("a batch has commands");
    position = batch.entry;
    nextOrderId = batch.changes.nextOrderId;
    return batch;
  }

  function commands(): readonly WithoutHead<Command>[] {
    if (position.sequence === 1) {
      return users.flatMap((user) =>
        DEPOSITS.map(
          (deposit) => ({ kind: "deposit", user, ...deposit, reference: `first ${deposit.currency}` }) as const,
        ),
      );
    }
    return Array.from({ length: commandsPerBatch }, () => {
      if (conditionalShare === 0 || !random.chance(conditionalShare)) return command(random, users);
      const user = random.pick(users as [string, ...string[]]);
      return conditionalCommand(random, { user, ...random.pick(PAIRS), at, nextId: nextOrderId });
    });
  }

  function numbered(bodies: readonly WithoutHead<Command>[]): QueuedCommand[] {
    return bodies.map((body) => {
      const place = { entryId: `${at}-${commandCount++}`, index: 0 };
      return { ...place, node: "", append: 0, command: { ...body, at, id: `${place.entryId}-0` } as Command };
    });
  }

  return { engine, users, next, position: () => position };
}

type WithoutHead<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;

function command(random: Random, users: readonly string[]): WithoutHead<Command> {
  const user = random.pick(users as [string, ...string[]]);
  const { pair, ticks } = random.pick(PAIRS);
  const dice = random.next();
  if (dice < 0.04)
    return {
      kind: "deposit",
      user,
      currency: "idr",
      amount: BigInt(random.between(1, 10 ** 9)),
      reference: `d${random.between(1, 10 ** 9)}`,
    };
  if (dice < 0.06)
    return {
      kind: "withdraw",
      user,
      currency: "btc",
      amount: BigInt(random.between(1, 10 ** 6)),
      reference: `w${random.between(1, 10 ** 9)}`,
    };
  if (dice < 0.08) {
    return {
      kind: "transfer",
      from: user,
      to: random.pick(users as [string, ...string[]]),
      currency: "eth",
      amount: BigInt(random.between(1, 10 ** 6)),
      reference: "",
    };
  }
  if (dice < 0.16) return { kind: "cancelAll", user, pair };
  return {
    kind: "place",
    user,
    pair,
    grid: 1,
    side: random.chance(0.5) ? "buy" : "sell",
    type: "limit",
    ticks: ticks + random.between(-40, 40),
    lots: random.between(100, 2_000),
    quoteAmount: 0n,
    timeInForce: random.chance(0.8) ? "GTC" : "IOC",
    postOnly: false,
    selfTrade: "cancelNewest",
    clientOrderId: random.chance(0.3) ? `c-${random.between(1, 10 ** 9)}` : "",
    openOrdersMax: 1_000,
  };
}

/** Writes the entry as the commit script does, without a leader. */
export async function putEntries(redis: Redis, entries: readonly JournalEntry[]): Promise<void> {
  const pipeline = redis.multi();
  for (const { sequence, previousHash, hash, command: last, body } of entries) {
    pipeline.xadd(JOURNAL_KEY, `${sequence}-0`, "p", previousHash, "h", hash, "c", last, "b", body);
    pipeline.hset(OFFSET_KEY, "sequence", sequence, "command", last, "hash", hash);
  }
  await pipeline.exec();
}
