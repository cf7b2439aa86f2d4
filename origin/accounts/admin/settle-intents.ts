import type { Logger } from "pino";
import { z } from "zod";
import type { Commands } from "../../commit/submit/commands.ts";
import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import { type AuditOutcome, writeOutcome } from "./audit.ts";
import { type Audited, outcomeOfSubmitted, refusedFor } from "./audited.ts";
import findMovementSource from "./find-movement.sql";
import listUnsettledSource from "./list-unsettled.sql";

/**
 * Settles admins' changes with an unknown outcome: by the command's id in the journal, and for money also in the
 * ledger, which keeps it forever. An outcome that neither knows stays unknown, with the reason. Every process that
 * serves the API does this; the first outcome that is written counts. When Redis or PostgreSQL is unavailable, it
 * retries.
 */
export type Settling = {
  /** One pass over every unsettled entry. */
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
/** Longer than a process works on an entry or a command waits to be appended. */
const GRACE_MS = 60_000;
/** A command with an unknown id may be executed as late as this, once Redis and an engine are available again. */
const TRACE_MS_MAX = 900_000;
/** Clocks of PostgreSQL and the engine may differ. */
const SKEW_MS = 300_000;
/** Everything older is settled, or was seen unsettled in the last pass. */
const LOOK_BACK_MS = 3_600_000;
/** At the start, for entries of a venue that was stopped for long; the log of years is not searched. */
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
  let isUnavailable = false;

  async function settle(): Promise<void> {
    await audited.writeLate();
    const found = await listUnsettled.all(database, { sinceMs, limit: PAGE });
    let oldestMs = nowMs() - LOOK_BACK_MS;
    for (const entry of found) {
      const outcome = audited.isUnderWay(entry.id) ? undefined : await outcomeOf(entry);
      if (outcome === undefined) oldestMs = Math.min(oldestMs, entry.atMs);
      else await write(entry, outcome);
    }
    // A full page may be followed by more entries of the same age.
    if (found.length < PAGE) sinceMs = Math.max(0, oldestMs - 1);
  }

  async function write(entry: Unsettled, outcome: AuditOutcome): Promise<void> {
    await writeOutcome(database, entry.id, outcome);
    log.info({ entryId: entry.id, action: entry.action, ...outcome }, "the outcome of an admin's change is settled");
  }

  /** Undefined while the outcome is not known. */
  async function outcomeOf(entry: Unsettled): Promise<AuditOutcome | undefined> {
    const ageMs = nowMs() - entry.atMs;
    if (entry.commandId === null) return ageMs < GRACE_MS ? undefined : traceOf(entry, ageMs);
    const known = await commands.outcomeOf(entry.commandId);
    if (known.kind === "pending") return undefined;
    if (known.kind === "committed") return outcomeOfSubmitted({ ...known, commandId: entry.commandId });
    if (ageMs < GRACE_MS) return undefined;
    // The journal is trimmed behind the ledger: a command that is in neither is not pending and has moved nothing.
    const isMoved = await isInLedger(entry);
    if (isMoved === undefined) return unknownFor("outcome_forgotten", entry.commandId);
    return { ...(isMoved ? doneBy("ledger") : refusedFor("not_in_ledger")), commandId: entry.commandId };
  }

  /** For an entry without a command: the process ended in between, or the append's reply was lost. */
  async function traceOf(entry: Unsettled, ageMs: number): Promise<AuditOutcome | undefined> {
    if ((await isInLedger(entry)) === true) return doneBy("ledger");
    return ageMs < TRACE_MS_MAX ? undefined : unknownFor("no_trace", null);
  }

  /** Undefined for changes that move no money. */
  async function isInLedger({ action, target, after, atMs, commandId }: Unsettled): Promise<boolean | undefined> {
    const kind = MOVEMENT_KINDS.get(action);
    if (kind === undefined) return undefined;
    const { currency, reference } = movementSchema.parse(after);
    const found = await findMovement.first(database, {
      account: target,
      kind,
      currency,
      reference,
      commandId,
      sinceMs: atMs - SKEW_MS,
    });
    return found?.isThere === true;
  }

  async function look(): Promise<void> {
    try {
      await settle();
      isUnavailable = false;
    } catch (error) {
      if (!isUnavailable) log.warn({ err: error }, "outcomes of admins' changes cannot be settled; retrying");
      isUnavailable = true;
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

const unknownFor = (reason: string, commandId: string | null): AuditOutcome => ({
  state: "unknown",
  isSettled: true,
  reason,
  commandId,
});
