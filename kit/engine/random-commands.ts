import type { Command, PlaceOrder } from "../../origin/engine/command.ts";
import type { PairTerms } from "../../origin/engine/terms.ts";
import type { Random } from "../random.ts";
import { isNaiveOpening } from "./naive-auction.ts";
import type { NaiveVenue } from "./naive-venue.ts";
import {
  anySelfTrade,
  randomCancel,
  randomChange,
  randomList,
  randomTrigger,
  withSomeConditions,
} from "./random-conditions.ts";

/** Omit over each member of a union. */
type Body<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;
type CommandBody = Body<Command>;

/**
 * Commands that keep a small venue busy: few users and names, so that they meet each other and themselves; prices close
 * together, with some far away; amounts from one step to the maximum. The venue's state is used to ask for things that
 * exist.
 */
export function randomCommand(random: Random, venue: NaiveVenue, played: readonly Command[]): Command {
  const head = { id: `${venue.at}-${played.length}-0`, at: venue.at + timeStep(random) };
  // A client without an answer asks again.
  const earlier = random.chance(0.03) ? played[played.length - random.between(1, 40)] : undefined;
  return earlier === undefined || earlier.kind === "tick"
    ? { ...head, ...randomBody(random, venue) }
    : { ...earlier, ...head };
}

/** The start of every seed's venue: two ordinary pairs, one whose values are near the bound, and money. */
export function firstCommands(random: Random): readonly Command[] {
  const bodies: CommandBody[] = [
    ...CURRENCIES.map(([currency, scale]) => ({ kind: "setCurrency", currency, scale }) as const),
    ...PAIRS.map((terms) => ({ kind: "setPair", terms: { ...terms, bandPpm: random.pick([0, 0, 100_000]) } }) as const),
    ...USERS.flatMap((user) =>
      CURRENCIES.map(
        ([currency]) => ({ kind: "deposit", user, currency, amount: largeAmount(currency), reference: "" }) as const,
      ),
    ),
  ];
  return bodies.map((body, index) => ({ id: `${START_MS}-${index}-0`, at: START_MS, ...body }));
}

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const USERS = ["ann", "bob", "cid", "__proto__"] as const;
const CURRENCIES = [
  ["btc", 8],
  ["idr", 2],
  ["gem", 0],
] as const;

const terms = {
  makerFeePpm: 1_000,
  takerFeePpm: 2_500,
  state: "trading",
  opensAt: 0,
  freezeMs: 0,
  bandPpm: 0,
} as const;
const PAIRS: readonly [PairTerms, ...PairTerms[]] = [
  {
    pair: "btcidr",
    baseCurrency: "btc",
    quoteCurrency: "idr",
    tickSteps: 100_000n,
    lotSteps: 1_000n,
    valueStepsMin: 300n,
    ...terms,
  },
  {
    pair: "gemidr",
    baseCurrency: "gem",
    quoteCurrency: "idr",
    tickSteps: 7n,
    lotSteps: 3n,
    valueStepsMin: 0n,
    ...terms,
  },
  {
    pair: "gembtc",
    baseCurrency: "gem",
    quoteCurrency: "btc",
    tickSteps: 2n ** 31n,
    lotSteps: 2n ** 20n,
    valueStepsMin: 1n,
    ...terms,
  },
];

/** So that both the smallest and the largest values meet bounds. */
function largeAmount(currency: string): bigint {
  return currency === "gem" ? 2n ** 40n : 2n ** 58n;
}

function timeStep(random: Random): number {
  if (random.chance(0.4)) return 0;
  if (random.chance(0.01)) return random.pick([-5_000, HOUR_MS, 7 * HOUR_MS, 25 * HOUR_MS]);
  return random.between(1, 2_000);
}

function randomBody(random: Random, venue: NaiveVenue): CommandBody {
  if (random.chance(0.03)) return poorBody(random, venue);
  // As a leader does when something is due, and now and then when nothing is.
  const isDue = venue.pairs.some((pair) => isNaiveOpening(venue, pair));
  if (random.chance(isDue ? 0.5 : 0.01)) return { kind: "tick" };
  if (random.chance(0.02)) return auctionBody(random, venue);
  if (venue.work.length > 0 && random.chance(0.3)) return { kind: "tick" };
  const dice = random.next();
  if (dice < 0.08) return randomTrigger(random, venue);
  if (dice < 0.11) return randomList(random, venue);
  if (dice < 0.15) return randomChange(random, venue);
  if (dice < 0.66) return randomOrder(random, venue);
  if (dice < 0.78) return randomCancel(random, venue);
  if (dice < 0.79)
    return { kind: "cancelAll", user: anyUser(random), pair: random.pick(["", "", "btcidr", "gemidr", "nothing"]) };
  if (dice < 0.95) return randomMovement(random, venue);
  return randomSetting(random, venue);
}

/** A user who has exactly the cost of one order, or one step less. */
function poorBody(random: Random, venue: NaiveVenue): CommandBody {
  const held = venue.balances.find(({ user, currency }) => user === POOR && currency === "idr")?.available ?? 0n;
  const cost = 100n * 5n * 21n;
  if (held === cost || held === cost - 1n)
    return { ...POOR_ORDER, side: "buy", timeInForce: random.pick(["GTC", "IOC"]) };
  if (held === 0n)
    return { kind: "deposit", user: POOR, currency: "idr", amount: cost - random.pick([0n, 1n]), reference: "" };
  return { kind: "withdraw", user: POOR, currency: "idr", amount: held, reference: "" };
}

const POOR = "eve";
const POOR_ORDER = {
  kind: "place",
  user: POOR,
  pair: "gemidr",
  grid: 1,
  type: "limit",
  ticks: 100,
  lots: 5,
  quoteAmount: 0n,
  postOnly: false,
  selfTrade: "cancelNewest",
  clientOrderId: "",
  openOrdersMax: 100,
} as const;

export function randomOrder(random: Random, venue: NaiveVenue): PlaceOrder {
  const pair = venue.pairs[random.between(0, venue.pairs.length - 1)] ?? { terms: PAIRS[0], grid: 1 };
  const type = random.chance(0.8) ? "limit" : "market";
  const isByAmount = type === "market" && random.chance(0.5);
  const timeInForce = random.pick(["GTC", "GTC", "GTC", "GTC", "GTC", "GTC", "GTC", "IOC", "FOK"] as const);
  const order: PlaceOrder = {
    kind: "place",
    user: anyUser(random),
    pair: random.chance(0.005) ? "nothing" : pair.terms.pair,
    grid: pair.grid - (random.chance(0.01) ? 1 : 0),
    side: random.pick(["buy", "sell"]),
    type,
    ticks: type === "market" ? 0 : anyTicks(random),
    lots: isByAmount ? 0 : anyLots(random),
    quoteAmount: isByAmount ? anyQuoteAmount(random, pair.terms) : 0n,
    timeInForce,
    postOnly: type === "limit" && timeInForce === "GTC" && random.chance(0.15),
    selfTrade: anySelfTrade(random),
    clientOrderId: random.chance(0.3)
      ? random.chance(0.1)
        ? random.pick(["a", "__proto__"])
        : `c${random.between(1, 400)}`
      : "",
    openOrdersMax: random.chance(0.1) ? random.between(0, 6) : 1_000,
  };
  return random.chance(0.01) ? { ...order, ...nonsense(random) } : withSomeConditions(random, venue, order);
}

function anyTicks(random: Random): number {
  const dice = random.next();
  if (dice < 0.96) return random.between(97, 103);
  if (dice < 0.99) return random.between(1, 4_000);
  return random.pick([1, 2 ** 31 - 1, 2 ** 31, random.between(1, 2 ** 31 - 1)]);
}

export function anyLots(random: Random): number {
  const dice = random.next();
  if (dice < 0.96) return random.between(1, 12);
  return dice < 0.99 ? random.between(1, 1_000_000) : random.pick([Number.MAX_SAFE_INTEGER, 2 ** 40, 2 ** 44]);
}

/** Around what some lots cost, rarely exactly. */
export function anyQuoteAmount(random: Random, pair: PairTerms): bigint {
  const scale = CURRENCIES.find(([name]) => name === pair.baseCurrency)?.[1] ?? 0;
  const unit = (pair.tickSteps * pair.lotSteps) / 10n ** BigInt(scale);
  const amount = unit * BigInt(random.between(97, 103)) * BigInt(random.between(1, 30));
  return random.chance(0.02) ? 2n ** 62n + 1n : amount + BigInt(random.between(0, 100));
}

function nonsense(random: Random): Partial<PlaceOrder> {
  return random.pick<Partial<PlaceOrder>>([
    { ticks: -1 },
    { ticks: 1.5 },
    { lots: -3 },
    { lots: Number.NaN },
    { lots: 0, quoteAmount: 0n },
    { lots: 1, quoteAmount: 1n },
    { quoteAmount: -1n },
    { postOnly: true, timeInForce: "IOC" },
    { type: "market", ticks: 5 },
    { openOrdersMax: -1 },
  ]);
}

function randomMovement(random: Random, venue: NaiveVenue): CommandBody {
  const currency = random.pick(["btc", "idr", "gem", "gem", random.chance(0.05) ? "nothing" : "idr"]);
  const reference = random.chance(0.4) ? `r${random.between(1, 60)}` : "";
  const user = anyUser(random);
  const held = venue.balances.find((row) => row.user === user && row.currency === currency)?.available ?? 0n;
  const amount = random.pick([
    1n,
    BigInt(random.between(1, 5)),
    held,
    held / 3n,
    held + 1n,
    0n,
    -1n,
    2n ** 61n,
    2n ** 62n,
  ]);
  const kind = random.pick(["deposit", "deposit", "deposit", "withdraw", "transfer"] as const);
  if (kind === "transfer") return { kind, from: user, to: anyUser(random), currency, amount, reference };
  // Otherwise all the money would soon be gone.
  return { kind, user, currency, amount: kind === "withdraw" && amount === held ? held / 10n : amount, reference };
}

function randomSetting(random: Random, venue: NaiveVenue): CommandBody {
  const dice = random.next();
  if (dice < 0.5) return { kind: "setUser", user: anyUser(random), isFrozen: random.chance(0.1) };
  if (dice < 0.55)
    return {
      kind: "setCurrency",
      currency: random.pick(["btc", "gem", "new", ""]),
      scale: random.pick([0, 2, 8, 19, 0.5]),
    };
  const current = (venue.pairs[random.between(0, venue.pairs.length - 1)] ?? { terms: PAIRS[0] }).terms;
  const changed = { ...current, ...changedTerms(random, current) };
  const schedule = changed.state === "auction" ? anySchedule(random, venue) : { opensAt: 0, freezeMs: 0 };
  return { kind: "setPair", terms: random.chance(0.03) ? changed : { ...changed, ...schedule } };
}

/** A pair enters an auction, or its bell rings. */
function auctionBody(random: Random, venue: NaiveVenue): CommandBody {
  const pair = venue.pairs[random.between(0, venue.pairs.length - 1)];
  const terms = pair?.terms ?? PAIRS[0];
  if (pair?.opening == null)
    return { kind: "setPair", terms: { ...terms, state: "auction", ...anySchedule(random, venue) } };
  return { kind: "setPair", terms: { ...terms, state: "trading", opensAt: 0, freezeMs: 0 } };
}

/** Soon enough that it opens while the orders of the auction are open. */
function anySchedule(random: Random, { at }: NaiveVenue): Pick<PairTerms, "opensAt" | "freezeMs"> {
  if (random.chance(0.3)) return { opensAt: 0, freezeMs: 0 };
  return { opensAt: at + random.between(-2_000, 60_000), freezeMs: random.pick([0, 5_000, 20_000]) };
}

function changedTerms(random: Random, current: PairTerms): Partial<PairTerms> {
  return random.pick<Partial<PairTerms>>([
    { state: "trading" },
    { state: "trading", bandPpm: 0 },
    { state: random.chance(0.8) ? "trading" : "halted" },
    { state: "auction" },
    { state: "auction" },
    { state: "auction" },
    { state: "trading", bandPpm: random.pick([0, 0, 50_000, 200_000, 1_000_000, 1_000_001]) },
    {
      state: "trading",
      makerFeePpm: random.pick([0, 1, 1_000, 1_000_000]),
      takerFeePpm: random.pick([0, 2_500, 999_999]),
    },
    { state: "trading", valueStepsMin: random.pick([0n, 1n, 300n, -1n]) },
    { tickSteps: random.pick([current.tickSteps * 2n, current.tickSteps / 2n, 1n, 0n]) },
    { lotSteps: random.pick([current.lotSteps * 2n, current.lotSteps / 2n, 2n ** 62n]) },
    { baseCurrency: random.pick(["idr", "nothing", current.quoteCurrency]) },
  ]);
}

export function anyUser(random: Random): string {
  return random.chance(0.01) ? random.pick(["nobody", "house", ""]) : random.pick(USERS);
}
