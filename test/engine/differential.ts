import { deepStrictEqual } from "node:assert";
import type { Changes, OrderRow } from "../../origin/engine/changes.ts";
import type { Command } from "../../origin/engine/command.ts";
import type { Engine } from "../../origin/engine/engine.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import { insist, Objection } from "../sim/objection.ts";
import { type Random, seededRandom } from "../sim/random.ts";
import { createNaiveVenue, type NaiveBounds, type NaiveVenue, naiveApply } from "./naive-venue.ts";
import { createProjection } from "./projection.ts";
import { firstCommands, randomCommand } from "./random-commands.ts";

export type DifferentialOptions = {
  readonly seed: number;
  readonly commands: number;
  readonly createEngine: (bounds: NaiveBounds) => Engine;
};

/** How often each end was seen: a rule that never came up was not tested. */
export type Tally = Map<string, number>;

/** So small that a few hundred commands meet them. */
function anyBounds(random: Random): NaiveBounds {
  return {
    openOrdersMax: random.pick([10, 40, 80]),
    referencesMax: random.pick([15, 60, 200]),
    usersMax: random.pick([5, 9]),
    fillsMax: random.pick([2, 4, 30]),
    cancelsMax: random.pick([2, 5]),
  };
}

/**
 * One seed: random commands to the engine and to the naive venue, which must say the same and hold the same after each of them. A
 * follower absorbs the engine's changes, a projection keeps them as a store would, and the commands are played once more at the end.
 * Throws an `Objection` that names the seed and the step.
 */
export function runDifferential({ seed, commands, createEngine }: DifferentialOptions): Tally {
  const random = seededRandom(seed);
  const bounds = anyBounds(random);
  const world: World = {
    random,
    engine: createEngine(bounds),
    follower: createEngine(bounds),
    venue: createNaiveVenue(bounds),
    projection: createProjection(),
    tally: new Map(),
  };
  const played: Command[] = [];
  try {
    for (const command of firstCommands(random)) play(world, command, played);
    while (played.length < commands) play(world, randomCommand(random, world.venue, played), played);
    publish(world);
    compareCopies(world);
    comparePlayback(world, { played, again: createEngine(bounds) });
    compareLoaded(world, createEngine(bounds));
  } catch (error) {
    throw new Objection(`seed ${seed}, step ${played.length}: ${told(played.at(-1))}\n${(error as Error).message}`, { cause: error });
  }
  return world.tally;
}

type World = {
  readonly random: Random;
  readonly engine: Engine;
  readonly follower: Engine;
  readonly venue: NaiveVenue;
  readonly projection: ReturnType<typeof createProjection>;
  readonly tally: Tally;
};

function play(world: World, command: Command, played: Command[]): void {
  const { random, engine, venue } = world;
  const isStill = command.at <= venue.at && random.chance(0.05);
  if (isStill) publish(world);
  const before = isStill ? engine.stateHash() : "";
  played.push(command);
  const outcome = engine.apply(command);
  const expected = naiveApply(venue, command);
  deepStrictEqual(outcome, expected);
  count(world.tally, outcome);
  if (isStill && (outcome.kind === "rejected" || outcome.kind === "repetition")) {
    insist(engine.stateHash() === before, "a command without effect has changed the state");
    insist(rowCount(engine.takeChanges()) === 0, "a command without effect has left changes");
  }
  compareMoney(world);
  if (!random.chance(0.2)) return;
  publish(world);
  if (random.chance(0.1)) compareCopies(world);
}

/** Same balances as the naive venue's, none below nothing, and together exactly what came in and did not go out. */
function compareMoney({ engine, venue }: World): void {
  for (const { name: currency, supply } of venue.currencies) {
    let sum = 0n;
    for (const { name: user } of venue.users) {
      const row = engine.balance(user, currency);
      const expected = venue.balances.find((one) => one.user === user && one.currency === currency);
      const isSame = row.available === (expected?.available ?? 0n) && row.frozen === (expected?.frozen ?? 0n);
      if (!isSame) throw new Objection(`${user}'s ${currency}: ${told(row)} and not ${told(expected)}`);
      insist(row.available >= 0n && row.frozen >= 0n, `${user}'s ${currency} is below nothing`);
      sum += row.available + row.frozen;
    }
    insist(sum === supply, `all ${currency} together are ${sum}, and ${supply} came in`);
  }
}

/** The changes go to the follower and to the projection; each order in them is as the naive venue has it. */
function publish({ engine, follower, venue, projection }: World): void {
  const changes = engine.takeChanges();
  let lastId = 0;
  for (const row of changes.orders) {
    deepStrictEqual(row, venue.orders[row.id - 1] satisfies OrderRow | undefined);
    insist(row.id > lastId, "the changes name an order twice or not in order");
    lastId = row.id;
  }
  deepStrictEqual(changes.trades, venue.trades.slice(projection.tradeCount()));
  follower.absorb(changes);
  projection.take(changes);
}

function compareCopies({ engine, follower, venue }: World): void {
  insist(follower.stateHash() === engine.stateHash(), "the follower's state is another");
  deepStrictEqual(engine.verify(), []);
  deepStrictEqual(follower.verify(), []);
  for (const { terms, ...rest } of venue.pairs) deepStrictEqual(engine.pair(terms.pair), { ...terms, ...rest });
}

/** The same commands lead to the same state, whoever looked at it meanwhile. */
function comparePlayback({ engine }: World, { played, again }: { readonly played: readonly Command[]; readonly again: Engine }): void {
  for (const command of played) again.apply(command);
  insist(again.stateHash() === engine.stateHash(), "the same commands have led to another state");
}

/** What a store kept, in any order that it may be read in, is enough to begin with. */
function compareLoaded({ engine, projection, random }: World, fresh: Engine): void {
  for (const chunk of projection.chunks(random)) fresh.absorb(chunk);
  deepStrictEqual(fresh.verify(), []);
  insist(fresh.stateHash() === engine.stateHash(), "the state that was loaded is another");
  insist(rowCount(fresh.takeChanges()) === 0, "loading has left changes");
}

function rowCount({ orders, trades, balances, movements, currencies, pairs, users, references }: Changes): number {
  return [orders, trades, balances, movements, currencies, pairs, users, references].reduce((sum, rows) => sum + rows.length, 0);
}

function count(tally: Tally, outcome: Outcome): void {
  const add = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);
  add(outcome.kind);
  if (outcome.kind === "rejected") add(outcome.code);
  if (outcome.kind === "order") {
    add(`${outcome.order.status} ${outcome.order.cancelReason}`.trim());
    for (const _trade of outcome.trades) add("trade");
  }
  if (outcome.kind === "cancelled" && outcome.hasMore) add("hasMore");
}

function told(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? "nothing";
}
