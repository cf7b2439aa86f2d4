import { z } from "zod";
import type { Queries } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import insertAuditSource from "./insert-audit.sql";
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
  | ("wallet.deposited" | "wallet.transferred" | "pair.changed" | "currency.changed");

/** Who acts: an admin, or whoever sits at the machine. */
export type Actor = { readonly id: string | null; readonly name: string; readonly requestId: string | null };

export const COMMAND_LINE: Actor = { id: null, name: "command line", requestId: null };

const insertAudit = defineQuery({
  name: "insert-audit",
  source: insertAuditSource,
  params: ["actorId", "actor", "action", "target", "before", "after", "requestId"],
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
  }),
});

/** In the transaction of what it tells of: there is no action without its line, and no line without its action. */
export async function writeAudit(tx: Queries, { actor, ...entry }: AuditEntry): Promise<void> {
  await insertAudit.all(tx, { ...entry, actorId: actor.id, actor: actor.name, requestId: actor.requestId });
}
