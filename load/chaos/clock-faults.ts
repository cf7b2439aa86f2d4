import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Cell } from "./cell.ts";
import type { PartName } from "./chaos-stack.ts";
import { findLeader } from "./faults.ts";

export const HOUR_MS = 3_600_000;

const LEADS_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** What a busy machine may take from a trade to its row. */
const DATED_WITHIN_MS = 60_000;

/** Started anew with clocks that are off by so much; afterwards with right ones. No trade is dated by them. */
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

/** The engine with the wrong clock leads; in the end the other one does. */
export const leaderClockOff: Cell["inject"] = async (stack) => {
  const { parts, databaseUrl } = stack;
  const [wrong, right] = [parts["engine-1"], parts["engine-2"]];
  await wrong.kill();
  await right.kill();
  await wrong.startAgain(HOUR_MS);
  const deadline = performance.now() + LEADS_WITHIN_MS;
  while ((await findLeader(stack)) !== "engine-1") {
    if (performance.now() > deadline) throw new Error("the engine whose clock is off does not lead");
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

/** By PostgreSQL's clock, which nobody has touched. */
async function dateOfLastTrade(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`
      SELECT abs(extract(epoch FROM now() - executed_at)) * 1000 AS off_ms FROM trade_ledger ORDER BY trade_id DESC LIMIT 1`;
    const offMs = Number(row?.["off_ms"]);
    if (!(offMs < DATED_WITHIN_MS)) throw new Error(`the last trade is dated ${Math.round(offMs / 1_000)} s off`);
    return "the last trade is dated right";
  } finally {
    await sql.end();
  }
}
