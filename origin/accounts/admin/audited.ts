import type { Logger } from "pino";
import type { Submitted } from "../../commit/submit/commands.ts";
import { refusalOf } from "../../commit/submit/refuse-reject.ts";
import type { Database } from "../../db/database.ts";
import { type AuditEntry, type AuditOutcome, writeIntent, writeOutcome } from "./audit.ts";

/**
 * Admins' changes outside PostgreSQL, with their entry in the audit log. The two cannot be one write, so the intent is
 * written first, in its own transaction, and the outcome after: done, refused or unknown. When PostgreSQL is
 * unavailable before the change, nothing happens; when it is unavailable afterwards, the outcome is kept in memory and
 * written later. An unknown outcome, also after a crash between the two, is settled by `settle-intents.ts`.
 */
export type Audited = {
  /** `act` reports the command's outcome as soon as it is known. */
  readonly run: <End>(entry: AuditEntry, act: (note: NoteSubmitted) => Promise<End>) => Promise<End>;
  /** For an intent that was written in another transaction. */
  readonly finish: (entryId: number, outcome: AuditOutcome) => Promise<void>;
  /** Whether this process still waits for its outcome. */
  readonly isUnderWay: (entryId: number) => boolean;
  /** Writes outcomes for which PostgreSQL was unavailable. */
  readonly writeLate: () => Promise<void>;
};

export type NoteSubmitted = (submitted: Submitted) => void;

/** Beyond this bound, outcomes of a long outage are found in the journal and the ledger, as after a crash. */
const LATE_MAX = 1_000;

export function createAudited({ database, log }: { readonly database: Database; readonly log: Logger }): Audited {
  const underWay = new Set<number>();
  const late = new Map<number, AuditOutcome>();

  async function finish(entryId: number, outcome: AuditOutcome): Promise<void> {
    try {
      await writeOutcome(database, entryId, outcome);
    } catch (error) {
      log.warn(
        { err: error, entryId, outcome },
        "the outcome of an admin's change could not be written and is kept for later",
      );
      if (late.size < LATE_MAX) late.set(entryId, outcome);
    }
  }

  return {
    async run(entry, act) {
      const entryId = await database.transaction((tx) => writeIntent(tx, entry));
      underWay.add(entryId);
      let outcome = INTERRUPTED;
      try {
        return await act((submitted) => {
          outcome = outcomeOfSubmitted(submitted);
        });
      } finally {
        await finish(entryId, outcome);
        underWay.delete(entryId);
      }
    },
    finish,
    isUnderWay: (entryId) => underWay.has(entryId) || late.has(entryId),
    async writeLate() {
      for (const [entryId, outcome] of late) {
        await writeOutcome(database, entryId, outcome);
        late.delete(entryId);
      }
    },
  };
}

/** The action ended before its command was submitted. */
export const INTERRUPTED: AuditOutcome = { state: "unknown", isSettled: false, reason: "interrupted", commandId: null };

export const DONE: AuditOutcome = { state: "done", isSettled: true, reason: null, commandId: null };

export const refusedFor = (reason: string): AuditOutcome => ({
  state: "refused",
  isSettled: true,
  reason,
  commandId: null,
});

export function outcomeOfSubmitted(submitted: Submitted): AuditOutcome {
  switch (submitted.kind) {
    case "refused":
      return refusedFor(submitted.code);
    case "unknown":
      return { state: "unknown", isSettled: false, reason: "outcome_unknown", commandId: submitted.commandId || null };
    case "committed": {
      const { outcome, commandId } = submitted;
      if (outcome.kind === "rejected") return { ...refusedFor(refusalOf(outcome.code)[0]), commandId };
      return { ...DONE, commandId, reason: outcome.kind === "repetition" ? "repetition" : null };
    }
  }
}
