import type { Database } from "../db/database.ts";
import { type AuditEntry, writeAudit } from "./audit.ts";

/**
 * What an admin does to the engine, with its line in the audit log. The two cannot be one write, so the line is written first and kept
 * only if the engine did it, or may have: with PostgreSQL away nothing happens, and what was refused leaves no line.
 */
export async function audited<End extends { readonly ok: boolean }>(
  database: Database,
  entry: AuditEntry,
  act: () => Promise<End>,
): Promise<End> {
  let end: End | undefined;
  try {
    return await database.transaction(async (tx) => {
      await writeAudit(tx, entry);
      end = await act();
      if (!end.ok) throw new NotDone();
      return end;
    });
  } catch (error) {
    if (error instanceof NotDone && end !== undefined) return end;
    throw error;
  }
}

/** Takes the line back with the transaction. */
class NotDone extends Error {
  override readonly name = "NotDone";
}
