import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Cell } from "./cell.ts";
import type { PartName } from "./chaos-stack.ts";
import { findLeader } from "./faults.ts";

export const HOUR_MS = 3_600_000;

const LEADS_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** The time from a trade to its row on a busy machine. */
const DATED_WITHIN_MS = 60_000;

/** Restarts parts with a wrong clock, and afterwards with the right one. No trade may carry the wrong time. */
export function clocksOff(offsMs: Readonly<Partial<Record<PartName, number>>>): Cell["inject"] {
  return async ({ parts, databaseUrl }) => {
    const entries = Object.entries(offsMs) as [PartName, number][];
    for (const [name, offMs] of entries) {
      await parts[name].kill();
      await parts[name].startAgain(offMs);
    }
    return async () => {
      const dated = await dateOfLastTrade(databaseUrl);
      for (const [name] of entries) {
        await parts[name].kill();
        await parts[name].startAgain();
      }
      return dated;
    };
  };
}

/** The engine with the wrong clock leads first, then the other one. */
export const leaderClockOff: Cell["inject"] = async (stack) => {
  const { parts, databaseUrl } = stack;
  const [wrong, right] = [parts["engine-1"], parts["engine-2"]];
  await wrong.kill();
  await right.kill();
  await wrong.startAgain(HOUR_MS);
  const deadline = performance.now() + LEADS_WITHIN_MS;
  while ((await findLeader(stack)) !== "engine-1") {
    if (performance.now() > deadline) throw new Error("the engine with the wrong clock does not lead");
    await sleep(LOOK_EVERY_MS);
  }
  await right.startAgain();
  return async () => {
    const dated = await dateOfLastTrade(databaseUrl);
    await wrong.kill();
    await wrong.startAgain();
    return dated;
  };
};

/** Compared with PostgreSQL's clock, which is right. */
async function dateOfLastTrade(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`
      SELECT abs(extract(epoch FROM now() - executed_at)) * 1000 AS off_ms FROM trade_ledger ORDER BY trade_id DESC LIMIT 1`;
    const offMs = Number(row?.["off_ms"]);
    if (!(offMs < DATED_WITHIN_MS)) throw new Error(`the time of the last trade is ${Math.round(offMs / 1_000)} s off`);
    return "the last trade has the right date";
  } finally {
    await sql.end();
  }
}
