import { deepStrictEqual } from "node:assert";
import type { AuctionRow, ListedOrder } from "../../origin/engine/auction/auction.ts";
import { clearingOf, levelsOf } from "../../origin/engine/auction/clearing-price.ts";
import type { Changes, ListRow, OrderRow } from "../../origin/engine/changes.ts";
import type { Command } from "../../origin/engine/command.ts";
import type { Engine } from "../../origin/engine/engine.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import { insist, Objection } from "../objection.ts";
import { type Random, seededRandom } from "../random.ts";
import { checkLists, countEnds, type Observed } from "./list-properties.ts";
import { rowOf } from "./naive-list-orders.ts";
import { createNaiveVenue, type NaiveBounds, type NaiveVenue, naiveApply } from "./naive-venue.ts";
import { createProjection } from "./projection.ts";
import { firstCommands, randomCommand } from "./random-commands.ts";

export type DifferentialOptions = {
  readonly seed: number;
  readonly commands: number;
  readonly createEngine: (bounds: NaiveBounds) => Engine;
};

/** How often each end occurred: a rule that never did was not tested. */
export type Tally = Map<string, number>;

/** So small that a few hundred commands meet them. */
function anyBounds(random: Random): NaiveBounds {
  return {
    openOrdersMax: random.pick([10, 40, 80]),
    namesPerUserMax: random.pick([5, 20, 200]),
    usersMax: random.pick([6, 9]),
    fillsMax: random.pick([2, 4, 30]),
    cancelsMax: random.pick([2, 5]),
    workMax: random.pick([1, 3, 20, 200]),
    trailingMax: random.pick([2, 5, 50]),
  };
}

/**
 * One seed: random commands to the engine and to the naive venue, which must answer and hold the same after each of
 * them. A second engine forgets names as soon as they are published and fetches them again, a follower absorbs the
 * engine's changes, a projection keeps them as a store would, and the commands are replayed at the end; then each copy
 * continues by itself and must do the same. Throws an `Objection` that names the seed and the step.
 */
export function runDifferential({ seed, commands, createEngine }: DifferentialOptions): Tally {
  const random = seededRandom(seed);
  const bounds = anyBounds(random);
  const world: World = {
    random,
    engine: createEngine(bounds),
    follower: createEngine(bounds),
    forgetful: createEngine(bounds),
    pending: [],
    venue: createNaiveVenue(bounds),
    projection: createProjection(),
    listed: new Map(),
    seen: { orders: new Map(), lists: new Map() },
    tally: new Map(),
  };
  const played: Command[] = [];
  try {
    for (const command of firstCommands(random)) play(world, command, played);
    while (played.length < commands) play(world, randomCommand(random, world.venue, played), played);
    publish(world);
    checkLists(world);
    compareCopies(world);
    comparePlayback(world, { played, again: createEngine(bounds) });
    const loaded = createEngine(bounds);
    compareLoaded(world, loaded);
    const nameless = createEngine(bounds);
    compareNameless(world, nameless);
    compareFutures(world, { loaded, nameless, played });
  } catch (error) {
    throw new Objection(`seed ${seed}, step ${played.length}: ${told(played.at(-1))}\n${(error as Error).message}`, {
      cause: error,
    });
  }
  return world.tally;
}

type World = {
  readonly random: Random;
  readonly engine: Engine;
  readonly follower: Engine;
  readonly forgetful: Engine;
  /** The commands that the forgetful engine has not applied yet, as one batch. */
  readonly pending: { readonly command: Command; readonly expected: Outcome }[];
  readonly venue: NaiveVenue;
  readonly projection: ReturnType<typeof createProjection>;
  /** The orders published for each auction so far, by pair and number. */
  readonly listed: Map<string, ListedOrder[]>;
  readonly seen: Observed["seen"];
  readonly tally: Tally;
};

function play(world: World, command: Command, played: Command[]): void {
  const { random, engine, venue } = world;
  const isStill = command.at <= venue.at && engine.nextDueAt() > venue.at && random.chance(0.05);
  if (isStill) publish(world);
  const before = isStill ? engine.stateHash() : "";
  played.push(command);
  const outcome = engine.apply(command);
  const expected = naiveApply(venue, command);
  deepStrictEqual(comparable(outcome), comparable(expected));
  world.pending.push({ command, expected: structuredClone(outcome) });
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

/** The naive venue has no places in a queue, and does not note when a list was touched. */
function comparable(outcome: Outcome): unknown {
  return outcome.kind === "list" ? { ...outcome, list: { ...outcome.list, dueAs: 0, updatedAt: 0 } } : outcome;
}

function compareList({ venue }: World, row: ListRow): void {
  const list = venue.lists.find(({ id }) => id === row.id);
  insist(list !== undefined, `list ${row.id} is unknown to the naive venue`);
  deepStrictEqual({ ...row, dueAs: 0, updatedAt: 0 }, { ...rowOf(venue, list) });
}

/** As a leader does: names that are not in memory are fetched first, for a whole batch. */
function ask({ projection }: World, engine: Engine, commands: readonly Command[]): void {
  const names = commands.flatMap((command) => engine.names.unanswered(command, command.at));
  engine.names.answer(
    names,
    names.flatMap((name) => projection.find(name) ?? []),
  );
}

function applyPending(world: World): void {
  const batch = world.pending.splice(0);
  const commands = batch.map(({ command }) => command);
  ask(world, world.forgetful, commands);
  for (const { command, expected } of batch) deepStrictEqual(world.forgetful.apply(command), expected);
}

/** The same balances as the naive venue's, none negative, and their sum is the supply. */
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

/**
 * The changes go to the follower, now and then twice, and to the projection; each order in them is as the naive venue
 * has it.
 */
function publish(world: World): void {
  const { random, engine, follower, forgetful, venue, projection } = world;
  applyPending(world);
  const changes = engine.takeChanges();
  for (const row of changes.orders)
    deepStrictEqual(row, venue.orders.find(({ id }) => id === row.id) satisfies OrderRow | undefined);
  for (const row of changes.lists ?? []) compareList(world, row);
  countEnds(world, changes);
  insist(new Set(changes.orders.map(({ id }) => id)).size === changes.orders.length, "the changes name an order twice");
  deepStrictEqual(changes.trades, venue.trades.slice(projection.tradeCount()));
  for (const row of changes.auctions ?? []) checkAuction(world, row);
  follower.absorb(changes);
  if (random.chance(0.1)) follower.absorb(changes);
  projection.take(changes);
  deepStrictEqual(forgetful.takeChanges(), changes);
  forgetful.names.evict({ upTo: forgetful.names.figures().taken, keep: random.between(0, 8) });
  if (random.chance(0.2)) forgetful.names.dropAnswersOver(0);
}

/** The published orders are those of the naive venue, and they lead to the published price by the stated rule. */
function checkAuction({ venue, listed, tally }: World, row: AuctionRow): void {
  const name = `${row.pair} ${row.number}`;
  const orders = listed.get(name) ?? [];
  listed.set(name, orders);
  if (row.kind === "orders") {
    insist(row.from === orders.length, "a page of an auction's orders is missing");
    orders.push(...row.orders);
    return;
  }
  const expected = venue.auctions.get(name);
  deepStrictEqual(orders, expected?.orders);
  const { ticks, lots, trades, rungAt, referenceTicks } = row;
  deepStrictEqual({ ticks, lots, trades, orders: row.orders, rungAt, referenceTicks }, expected?.result);
  const clearing = clearingOf({ ...levelsOf(orders), referenceTicks });
  deepStrictEqual({ ticks, lots }, { ticks: clearing?.ticks ?? 0, lots: clearing?.lots ?? 0n });
  for (const what of ["auction", ticks === 0 ? "auction without trades" : "auction with trades"])
    tally.set(what, (tally.get(what) ?? 0) + 1);
}

function compareCopies({ engine, follower, forgetful, venue }: World): void {
  insist(forgetful.stateHash() === engine.stateHash(), "the state depends on which names are in memory");
  insist(follower.names.hash() === engine.names.hash(), "the follower knows other names");
  insist(follower.stateHash() === engine.stateHash(), "the follower's state is another");
  deepStrictEqual(engine.verify(), []);
  deepStrictEqual(follower.verify(), []);
  for (const { terms, auction, opening: _, ...rest } of venue.pairs) {
    const { auction: progress, waves: _waves, ...row } = engine.pair(terms.pair) ?? {};
    deepStrictEqual(row, { ...terms, ...rest });
    deepStrictEqual({ number: progress?.number, rungAt: progress?.rungAt }, auction);
  }
}

/** The same commands lead to the same state, however often it was read meanwhile. */
function comparePlayback(
  { engine }: World,
  { played, again }: { readonly played: readonly Command[]; readonly again: Engine },
): void {
  for (const command of played) again.apply(command);
  insist(again.stateHash() === engine.stateHash(), "the same commands have led to another state");
  insist(again.names.hash() === engine.names.hash(), "the same commands have led to other names");
}

/** The rows of a store, read in any order, are enough to start from. */
function compareLoaded({ engine, projection, random }: World, fresh: Engine): void {
  for (const chunk of projection.chunks(random)) fresh.absorb(chunk);
  deepStrictEqual(fresh.verify(), []);
  insist(fresh.stateHash() === engine.stateHash(), "the state that was loaded is another");
  insist(fresh.names.hash() === engine.names.hash(), "other names were loaded");
  insist(rowCount(fresh.takeChanges()) === 0, "loading has left changes");
}

/** A start reads no names, only how many there are. */
function compareNameless({ engine, projection, random }: World, fresh: Engine): void {
  for (const chunk of projection.nameless(random)) fresh.absorb(chunk);
  fresh.names.load({ counts: projection.counts(), completeFrom: projection.at() + 1 });
  insist(fresh.stateHash() === engine.stateHash(), "the state that was loaded without names is another");
}

/** Equal hashes promise equal futures. */
function compareFutures(
  world: World,
  { loaded, nameless, played }: { loaded: Engine; nameless: Engine; played: Command[] },
): void {
  const { engine, follower, forgetful, venue, random } = world;
  for (let step = 0; step < FUTURE_COMMANDS; step++) {
    const command = randomCommand(random, venue, played);
    played.push(command);
    const outcome = engine.apply(command);
    for (const copy of [follower, loaded]) deepStrictEqual(copy.apply(command), outcome);
    for (const copy of [forgetful, nameless]) {
      ask(world, copy, [command]);
      deepStrictEqual(copy.apply(command), outcome);
    }
  }
  for (const copy of [follower, loaded, forgetful, nameless])
    insist(copy.stateHash() === engine.stateHash(), "from the same state on, a copy went another way");
}

const FUTURE_COMMANDS = 40;

function rowCount(changes: Changes): number {
  const { orders, trades, balances, movements, currencies, pairs, users, references, lists = [] } = changes;
  return [orders, trades, balances, movements, currencies, pairs, users, references, lists].reduce(
    (sum, rows) => sum + rows.length,
    0,
  );
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
