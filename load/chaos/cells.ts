import type { Random } from "../../kit/random.ts";
import type { Cell } from "./cell.ts";
import { clocksOff, HOUR_MS, leaderClockOff } from "./clock-faults.ts";
import { lastCommitsGone, slowDisk, tornTail, venueDiskFull } from "./disk-faults.ts";
import {
  bridgeReplies,
  everythingKilled,
  flapping,
  frozen,
  killed,
  leader,
  ledgerLocked,
  memoryFull,
  scriptsFlushed,
  venueReplies,
} from "./faults.ts";
import { faultOfPoisonedAudit, poisonedEntry } from "./poison.ts";

const SHORT_MS = 1_000;
const WHILE_MS = 3_000;
/** Longer than the engine's lease, and than any time-out of ours. */
const LONG_MS = 6_000;
/**
 * Longer than a turn may lie unclaimed (20 s) and an edge waits for the origin; half of the time that a silent visitor
 * is kept for.
 */
const STOPPED_MS = 30_000;

/** Stopped for longer than the gate waits for a call. */
const FLAPPING = { stoppedMs: 650, runningMs: 150 };

/** Passes need no store and trading no PostgreSQL: traders inside continue. */
const TRADING_ON = { isTradingOn: true } as const;
/** The fault must not change the date of a trade. */
const DATED = { isTradingOn: true, needsOrders: true } as const;

const http = (head: string, body: string) => ({
  raw: `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
});

/**
 * The fault matrix. In every cell: no admission beyond the cap, order kept, no acknowledged order lost, audit clean.
 */
export function faultMatrix(random: Random): readonly Cell[] {
  return [...ofTheGate(), ...ofTheVenue(), ...ofEverything(random)];
}

function ofTheGate(): readonly Cell[] {
  const on = TRADING_ON;
  const holds = { ...on, passesHold: true };
  const flaps = "no request with a pass fails, every error is the gate's own; every visitor enters afterwards";
  const still = "503 within a second, passes work; places and turns are unchanged when it resumes";
  return [
    cell("edge", "killed", "its visitors continue at another edge; no slot is doubled", SHORT_MS, killed("edge-4"), {
      ...on,
      isQuick: true,
    }),
    cell(
      "edge",
      "frozen, then resumed",
      "its announced turns have gone to other visitors: no one enters with them",
      STOPPED_MS,
      frozen("edge-4"),
      on,
    ),
    cell(
      "edge",
      "one clock an hour ahead, one behind",
      "no effect: the store's time counts",
      LONG_MS,
      clocksOff({ "edge-3": HOUR_MS, "edge-4": -HOUR_MS }),
      DATED,
    ),
    cell("bridge", "killed", "edges on it refuse newcomers with 503, passes work", WHILE_MS, killed("bridge-1"), holds),
    cell("bridge", "frozen", "the same, within a second", STOPPED_MS, frozen("bridge-1"), holds),
    cell("bridge", "replies dropped", "each call takes effect once", SHORT_MS, bridgeReplies("drop"), {
      ...holds,
      isQuick: true,
    }),
    cell("bridge", "no replies", "503 within a second, passes work", WHILE_MS, bridgeReplies("hang"), holds),
    cell(
      "bridge",
      "answers 500",
      "the same",
      WHILE_MS,
      bridgeReplies(http("500 Internal Server Error", "oops")),
      holds,
    ),
    cell("bridge", "answers HTML", "the same", WHILE_MS, bridgeReplies(http("200 OK", "<html></html>")), holds),
    cell(
      "bridge",
      "answers half a JSON",
      "the same",
      WHILE_MS,
      bridgeReplies(http("200 OK", '{"result":["wai')),
      holds,
    ),
    cell(
      "line's Redis",
      "killed",
      "tickets bring visitors back to their places",
      WHILE_MS,
      killed("line-redis"),
      holds,
    ),
    cell("line's Redis", "frozen", still, STOPPED_MS, frozen("line-redis"), holds),
    cell(
      "line's Redis",
      "stops for 650 ms, runs for 150 ms, repeatedly",
      flaps,
      LONG_MS,
      flapping("line-redis", FLAPPING),
      {
        ...holds,
        isQuick: true,
      },
    ),
    cell("line's Redis", "SCRIPT FLUSH, repeatedly", "no effect", WHILE_MS, scriptsFlushed("lineUrl"), on),
    cell("line's Redis", "out of memory", "newcomers refused, nothing evicted", WHILE_MS, memoryFull("lineUrl"), on),
  ];
}

function ofTheVenue(): readonly Cell[] {
  const on = TRADING_ON;
  const refused = "refuses to trade with a reason until the bytes are back; then nothing is lost";
  return [
    cell("venue's Redis", "killed", "503, then every acknowledged order is there", WHILE_MS, killed("venue-redis")),
    cell(
      "venue's Redis",
      "frozen",
      "503 within bounds; the lease has expired, and one engine takes it",
      STOPPED_MS,
      frozen("venue-redis"),
    ),
    cell("venue's Redis", "each fsync takes 250 ms", "slow, nothing lost", LONG_MS, slowDisk("venue-redis"), {
      ...on,
      needs: "strace",
    }),
    cell(
      "venue's Redis",
      "the disk is full",
      "it exits instead of acknowledging; 503; nothing lost",
      WHILE_MS,
      venueDiskFull,
      {
        needs: "strace",
      },
    ),
    cell(
      "venue's Redis",
      "killed in mid-write",
      "half a commit is dropped, nothing acknowledged is lost",
      WHILE_MS,
      tornTail,
      {
        needsOrders: true,
      },
    ),
    cell("venue's Redis", "the last commits are missing", refused, LONG_MS, lastCommitsGone, {
      needsOrders: true,
      isTradingOn: false,
    }),
    cell("venue's Redis", "replies dropped", "outcomes are found in the journal", SHORT_MS, venueReplies("drop")),
    cell("venue's Redis", "no replies", "503 or 202, later the outcome", WHILE_MS, venueReplies("hang")),
    cell("venue's Redis", "SCRIPT FLUSH, repeatedly", "no effect", WHILE_MS, scriptsFlushed("venueUrl"), on),
    cell("venue's Redis", "out of memory", "orders refused, nothing evicted", WHILE_MS, memoryFull("venueUrl")),
    cell("api", "killed", "its appended commands are executed once", SHORT_MS, killed("api")),
    cell(
      "api",
      "frozen",
      "504, then it continues; commands that clients gave up on are executed once",
      STOPPED_MS,
      frozen("api"),
    ),
    cell(
      "api",
      "its clock is an hour ahead",
      "no effect: passes work, trades are dated by Redis",
      LONG_MS,
      clocksOff({ api: HOUR_MS }),
      DATED,
    ),
    cell("api", "its clock is an hour behind", "the same", LONG_MS, clocksOff({ api: -HOUR_MS }), DATED),
    cell("engine", "leader killed", "the standby leads within seconds", WHILE_MS, leader(killed), { isQuick: true }),
    cell(
      "engine",
      "leader frozen, then resumed",
      "the standby leads after the lease of 1.5 s; the old one commits nothing",
      STOPPED_MS,
      leader(frozen),
      on,
    ),
    cell(
      "engine",
      "both killed",
      "503, then it continues from the committed command",
      WHILE_MS,
      killed("engine-1", "engine-2"),
    ),
    cell(
      "engine",
      "the leader's clock is an hour ahead",
      "no effect, also when the other engine leads again",
      LONG_MS,
      leaderClockOff,
      DATED,
    ),
    cell("worker", "killed", "trading continues; the ledger catches up, nothing twice", WHILE_MS, killed("worker"), on),
    cell(
      "worker",
      "frozen",
      "the same, although the server has ended its transaction",
      STOPPED_MS,
      frozen("worker"),
      on,
    ),
    cell("PostgreSQL", "killed", "trading continues; the ledger catches up", WHILE_MS, killed("postgres"), on),
    cell("PostgreSQL", "frozen", "the same; the journal keeps the missing entries", STOPPED_MS, frozen("postgres"), on),
    cell("PostgreSQL", "the ledger's table is locked", "the same", WHILE_MS, ledgerLocked, on),
  ];
}

/** The last one leaves a mark that no mending takes away: the ledger only grows. */
function ofEverything(random: Random): readonly Cell[] {
  const parked =
    "parked with its reason; the rest continues; metrics and audit name it and what is missing because of it";
  const poison = { needsOrders: true, faultOfAudit: faultOfPoisonedAudit, ...TRADING_ON };
  return [
    cell(
      "everything",
      "killed, started in any order",
      "nothing acknowledged is lost",
      SHORT_MS,
      everythingKilled(random),
    ),
    cell("ledger", "an entry that cannot be posted", parked, WHILE_MS, poisonedEntry, poison),
  ];
}

type Extra = Pick<Cell, "needs" | "isQuick" | "isTradingOn" | "passesHold" | "needsOrders" | "faultOfAudit">;

function cell(
  ...[component, fault, expected, lastsMs, inject, extra]: [string, string, string, number, Cell["inject"], Extra?]
): Cell {
  return { name: `${component}: ${fault}`, component, fault, expected, lastsMs, inject, ...extra };
}
