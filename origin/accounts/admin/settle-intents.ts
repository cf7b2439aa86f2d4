import type { Logger } from "pino";
import { z } from "zod";
import type { Commands } from "../commands/commands.ts";
import type { Database } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import { type AuditOutcome, writeOutcome } from "./audit.ts";
import { type Audited, outcomeOfSubmitted, refusedFor } from "./audited.ts";
import findMovementSource from "./find-movement.sql";
import listUnsettledSource from "./list-unsettled.sql";

/**
 * Finds out what became of admins' changes whose outcome was not known: by the command's id in the journal, and of money also in the ledger,
 * which keeps it for ever. What neither knows stays unknown, with the reason. Any process that serves the API does it; the first outcome
 * that is written counts. When Redis or PostgreSQL is unavailable it tries again.
 */
export type Settling = {
  /** One look at everything that is not settled. */
  readonly settle: () => Promise<void>;
  readonly stop: () => void;
};

type SettlingParts = {
  readonly database: Database;
  readonly commands: Pick<Commands, "outcomeOf">;
  readonly audited: Pick<Audited, "isUnderWay" | "writeLate">;
  readonly nowMs: () => number;
  readonly log: Logger;
};

const LOOK_EVERY_MS = 5_000;
const PAGE = 100;
/** Longer than any process works on an entry, and than a command waits to be appended. */
const GRACE_MS = 60_000;
/** A command of which not even the id is known may be executed as late as this, once Redis and an engine are back. */
const TRACE_MS_MAX = 900_000;
/** Clocks of PostgreSQL and the engine may differ. */
const SKEW_MS = 300_000;
/** Everything older is settled, or was seen unsettled in the last look. */
const LOOK_BACK_MS = 3_600_000;
/** At the start, for what was left by a venue that was stopped for so long; the log of years is not searched. */
const FIRST_LOOK_BACK_MS = 30 * 24 * LOOK_BACK_MS;

const unsettledRow = z.object({
  id: z.number(),
  atMs: z.number(),
  action: z.string(),
  target: z.string(),
  after: z.record(z.string(), z.unknown()).nullable(),
  commandId: z.string().nullable(),
});

type Unsettled = z.output<typeof unsettledRow>;

const listUnsettled = defineQuery({
  name: "list-unsettled",
  source: listUnsettledSource,
  params: ["sinceMs", "limit"],
  row: unsettledRow,
});

const findMovement = defineQuery({
  name: "find-movement",
  source: findMovementSource,
  params: ["account", "kind", "currency", "reference", "commandId", "sinceMs"],
  row: z.object({ isThere: z.boolean() }),
});

const MOVEMENT_KINDS: ReadonlyMap<string, string> = new Map([
  ["wallet.deposited", "deposit"],
  ["wallet.transferred", "transfer"],
]);

export function keepSettling({ database, commands, audited, nowMs, log }: SettlingParts): Settling {
  let sinceMs = Math.max(0, nowMs() - FIRST_LOOK_BACK_MS);
  let isAway = false;

  async function settle(): Promise<void> {
    await audited.writeLate();
    const found = await listUnsettled.all(database, { sinceMs, limit: PAGE });
    let oldestMs = nowMs() - LOOK_BACK_MS;
    for (const entry of found) {
      const outcome = audited.isUnderWay(entry.id) ? undefined : await outcomeOf(entry);
      if (outcome === undefined) oldestMs = Math.min(oldestMs, entry.atMs);
      else await write(entry, outcome);
    }
    // A full page may have more behind it that is as old.
    if (found.length < PAGE) sinceMs = Math.max(0, oldestMs - 1);
  }

  async function write(entry: Unsettled, outcome: AuditOutcome): Promise<void> {
    await writeOutcome(database, entry.id, outcome);
    log.info({ entryId: entry.id, action: entry.action, ...outcome }, "the outcome of an admin's change is settled");
  }

  /** Undefined while it cannot be told yet. */
  async function outcomeOf(entry: Unsettled): Promise<AuditOutcome | undefined> {
    const ageMs = nowMs() - entry.atMs;
    if (entry.commandId === null) return ageMs < GRACE_MS ? undefined : traceOf(entry, ageMs);
    const known = await commands.outcomeOf(entry.commandId);
    if (known.kind === "pending") return undefined;
    if (known.kind === "committed") return outcomeOfSubmitted({ ...known, commandId: entry.commandId });
    if (ageMs < GRACE_MS) return undefined;
    // The journal is trimmed behind the ledger: a command that is in neither is not under way, and has moved nothing.
    const isMoved = await isInLedger(entry);
    if (isMoved === undefined) return unknownFor("outcome_forgotten", entry.commandId);
    return { ...(isMoved ? doneBy("ledger") : refusedFor("not_in_ledger")), commandId: entry.commandId };
  }

  /** Of an entry without a command: the process ended in between, or the append's reply was lost. */
  async function traceOf(entry: Unsettled, ageMs: number): Promise<AuditOutcome | undefined> {
    if ((await isInLedger(entry)) === true) return doneBy("ledger");
    return ageMs < TRACE_MS_MAX ? undefined : unknownFor("no_trace", null);
  }

  /** Undefined for what does not move money. */
  async function isInLedger({ action, target, after, atMs, commandId }: Unsettled): Promise<boolean | undefined> {
    const kind = MOVEMENT_KINDS.get(action);
    if (kind === undefined) return undefined;
    const { currency, reference } = movementSchema.parse(after);
    const found = await findMovement.first(database, { account: target, kind, currency, reference, commandId, sinceMs: atMs - SKEW_MS });
    return found?.isThere === true;
  }

  async function look(): Promise<void> {
    try {
      await settle();
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error }, "outcomes of admins' changes cannot be settled: trying again");
      isAway = true;
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return { settle, stop: () => clearTimeout(timer) };
}

const movementSchema = z.object({ currency: z.string(), reference: z.string() });

const doneBy = (reason: string): AuditOutcome => ({ state: "done", isSettled: true, reason, commandId: null });

const unknownFor = (reason: string, commandId: string | null): AuditOutcome => ({ state: "unknown", isSettled: true, reason, commandId });
