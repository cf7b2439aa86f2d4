import type { Random } from "../../test/sim/random.ts";
import type { Cell } from "./cell.ts";
import {
  bridgeReplies,
  everythingKilled,
  frozen,
  killed,
  leader,
  ledgerLocked,
  memoryFull,
  scriptsFlushed,
  slowDisk,
  venueReplies,
} from "./faults.ts";

const SHORT_MS = 1_000;
const WHILE_MS = 3_000;
/** Longer than the engine's lease, and than any time-out of ours. */
const LONG_MS = 6_000;

const http = (head: string, body: string) => ({
  raw: `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
});

/** The fault matrix. Every cell is also held to: nobody over the cap, order kept, no acknowledged order lost, audit clean. */
export function faultMatrix(random: Random): readonly Cell[] {
  return [
    cell("edge", "killed", "its visitors go on at another edge; no slot is doubled", SHORT_MS, killed("edge-4"), { isQuick: true }),
    cell("edge", "stands still, wakes up", "what it had in hand changes nothing", LONG_MS, frozen("edge-4")),
    cell("bridge", "killed", "edges on it refuse newcomers with 503, passes hold", WHILE_MS, killed("bridge-1")),
    cell("bridge", "stands still", "the same, within a second", WHILE_MS, frozen("bridge-1")),
    cell("bridge", "replies dropped", "each is acted on once", SHORT_MS, bridgeReplies("drop"), { isQuick: true }),
    cell("bridge", "no replies", "503 within a second, passes hold", WHILE_MS, bridgeReplies("hang")),
    cell("bridge", "answers 500", "the same", WHILE_MS, bridgeReplies(http("500 Internal Server Error", "oops"))),
    cell("bridge", "answers HTML", "the same", WHILE_MS, bridgeReplies(http("200 OK", "<html></html>"))),
    cell("bridge", "answers half a JSON", "the same", WHILE_MS, bridgeReplies(http("200 OK", '{"result":["wai'))),
    cell("line's Redis", "killed", "tickets bring people back to their places", WHILE_MS, killed("line-redis")),
    cell("line's Redis", "stands still", "503 within a second, passes hold", WHILE_MS, frozen("line-redis")),
    cell("line's Redis", "SCRIPT FLUSH, again and again", "nothing", WHILE_MS, scriptsFlushed("lineUrl")),
    cell("line's Redis", "out of memory", "newcomers refused, nothing evicted", WHILE_MS, memoryFull("lineUrl")),
    cell("venue's Redis", "killed", "503, then everything that was answered is there", WHILE_MS, killed("venue-redis")),
    cell("venue's Redis", "stands still", "503 within bounds", WHILE_MS, frozen("venue-redis")),
    cell("venue's Redis", "each fsync takes 250 ms", "slow, nothing lost", LONG_MS, slowDisk("venue-redis"), { needs: "strace" }),
    cell("venue's Redis", "replies dropped", "outcomes are found in the journal", SHORT_MS, venueReplies("drop")),
    cell("venue's Redis", "no replies", "503 or 202, later the outcome", WHILE_MS, venueReplies("hang")),
    cell("venue's Redis", "SCRIPT FLUSH, again and again", "nothing", WHILE_MS, scriptsFlushed("venueUrl")),
    cell("venue's Redis", "out of memory", "orders refused, nothing evicted", WHILE_MS, memoryFull("venueUrl")),
    cell("api", "killed", "what it had appended is executed once", SHORT_MS, killed("api")),
    cell("api", "stands still", "504, then it goes on", WHILE_MS, frozen("api")),
    cell("engine", "leader killed", "the standby leads within seconds", WHILE_MS, leader(killed), { isQuick: true }),
    cell("engine", "leader stands still, wakes up", "the standby leads; the old one commits nothing", LONG_MS, leader(frozen)),
    cell("engine", "both killed", "503, then on from the committed command", WHILE_MS, killed("engine-1", "engine-2")),
    cell("worker", "killed", "trading goes on; the ledger catches up, nothing twice", WHILE_MS, killed("worker")),
    cell("worker", "stands still", "the same", WHILE_MS, frozen("worker")),
    cell("PostgreSQL", "killed", "trading goes on; the ledger catches up", WHILE_MS, killed("postgres")),
    cell("PostgreSQL", "stands still", "the same", WHILE_MS, frozen("postgres")),
    cell("PostgreSQL", "the ledger's table is locked", "the same", WHILE_MS, ledgerLocked),
    cell("everything", "killed, started in any order", "nothing that was answered is lost", SHORT_MS, everythingKilled(random)),
  ];
}

type Extra = Pick<Cell, "needs" | "isQuick">;

function cell(...[component, fault, expected, lastsMs, inject, extra]: [string, string, string, number, Cell["inject"], Extra?]): Cell {
  return { name: `${component}: ${fault}`, component, fault, expected, lastsMs, inject, ...extra };
}
