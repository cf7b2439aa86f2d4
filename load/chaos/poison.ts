import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import type { Cell } from "./cell.ts";
import type { StackPart } from "./stack-part.ts";

const PARKED_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 100;

/** A trigger rejects the trades of the next entry, the way PostgreSQL rejects an invalid number. */
export const poisonedEntry: Cell["inject"] = async ({ databaseUrl, parts }) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    CREATE FUNCTION chaos_poison() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM ledger_parked) THEN RAISE EXCEPTION 'poison' USING ERRCODE = 'data_exception'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER chaos_poison BEFORE INSERT ON trade_ledger FOR EACH ROW EXECUTE FUNCTION chaos_poison()`);
  const parked = await untilParked(sql);
  return async () => {
    await sql.unsafe("DROP TRIGGER chaos_poison ON trade_ledger; DROP FUNCTION chaos_poison()");
    const [row] =
      await sql`SELECT sequence, (SELECT count(*) FROM ledger_parked) AS parked FROM ledger_consumer_offsets WHERE consumer = 'ledger'`;
    await sql.end();
    const behind = Number(row?.["sequence"]) - parked;
    if (Number(row?.["parked"]) !== 1 || behind < 1)
      throw new Error(`${String(row?.["parked"])} entries are parked, and ${behind} posted after the first`);
    await metricTells(parts.worker);
    return `entry ${parked} parked, ${behind} more posted after it, counted in the worker's metrics`;
  };
};

/** The audit must name the entry and everything missing because of it; every other check must agree. */
export function faultOfPoisonedAudit(audit: string): string | undefined {
  const mark = (check: string) => new RegExp(`([✓✗]) ${check}`).exec(audit)?.[1];
  const isNamed = mark("parked entries") === "✗" && mark("balances") === "✗" && /entry \d+: .*poison/.test(audit);
  const areOthersWell = ["chain", "double entry", "open orders"].every((check) => mark(check) === "✓");
  return isNamed && areOthersWell ? undefined : `the audit does not name exactly the missing parts: ${audit}`;
}

async function untilParked(sql: postgres.Sql): Promise<number> {
  const deadline = performance.now() + PARKED_WITHIN_MS;
  while (performance.now() < deadline) {
    const [row] = await sql`SELECT sequence FROM ledger_parked`;
    if (row !== undefined) return Number(row["sequence"]);
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error("the entry that cannot be posted was not parked");
}

async function metricTells({ port }: StackPart): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  if (!/^sluice_venue_ledger_parked_total 1$/m.test(text))
    throw new Error("the worker's metrics do not count the parked entry");
}
