import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import type { Queries } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import insertAuditSource from "./insert-audit.sql";
import insertOutcomeSource from "./insert-outcome.sql";
import listAuditSource from "./list-audit.sql";

export type AuditEntry = {
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly target: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

type AuditAction =
  | ("user.created" | "user.changed" | "user.sessions_ended" | "system.changed")
  | ("wallet.deposited" | "wallet.transferred" | "pair.changed" | "currency.changed")
  | ("item.created" | "item.changed" | "item.deleted" | "item.ordered")
  | ("provider.changed" | "provider.deleted" | "provider.refreshed" | "schedule.changed");

/** An admin, or the command line of this machine. */
export type Actor = { readonly id: string | null; readonly name: string; readonly requestId: string | null };

export const COMMAND_LINE: Actor = { id: null, name: "command line", requestId: null };

export const AUDIT_STATES = ["done", "refused", "unknown"] as const;

/** The outcome of an entry. Until it is settled, a later row may replace it. */
export type AuditOutcome = {
  readonly state: (typeof AUDIT_STATES)[number];
  readonly isSettled: boolean;
  /** The error code of a refusal, or why it is unknown. */
  readonly reason: string | null;
  /** The id under which the engine's outcome can be read. */
  readonly commandId: string | null;
};

const insertAudit = defineQuery({
  name: "insert-audit",
  source: insertAuditSource,
  params: ["actorId", "actor", "action", "target", "before", "after", "requestId", "awaitsOutcome"],
  row: z.object({ id: z.number() }),
});

const insertOutcome = defineQuery({
  name: "insert-outcome",
  source: insertOutcomeSource,
  params: ["entryId", "isSettled", "state", "reason", "commandId"],
  row: z.unknown(),
});

export const listAudit = defineQuery({
  name: "list-audit",
  source: listAuditSource,
  params: ["beforeId", "target", "actor", "limit"],
  row: z.object({
    id: z.number(),
    at: z.number(),
    actor: z.string(),
    action: z.string(),
    target: z.string(),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    requestId: z.string().nullable(),
    outcome: z.enum(AUDIT_STATES),
    reason: z.string().nullable(),
  }),
});

/** In the transaction of the change: there is no change without its entry, and no entry without its change. */
export async function writeAudit(tx: Queries, entry: AuditEntry): Promise<undefined> {
  await insert(tx, entry, false);
}

/**
 * Before the change, or in the transaction of its first part; `writeOutcome` adds the outcome later. Returns the
 * entry's id.
 */
export function writeIntent(tx: Queries, entry: AuditEntry): Promise<number> {
  return insert(tx, entry, true);
}

async function insert(tx: Queries, { actor, ...entry }: AuditEntry, awaitsOutcome: boolean): Promise<number> {
  const values = { ...entry, actorId: actor.id, actor: actor.name, requestId: actor.requestId, awaitsOutcome };
  const inserted = await insertAudit.first(tx, values);
  assert(inserted !== undefined, "an insert gives its row");
  return inserted.id;
}

export async function writeOutcome(db: Queries, entryId: number, outcome: AuditOutcome): Promise<void> {
  await insertOutcome.all(db, { entryId, ...outcome });
}
