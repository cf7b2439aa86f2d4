import type { ScriptRunner } from "../../../../shared/store/define-script.ts";
import { auditKeys } from "../../../line/keys.ts";
import { log } from "../../../request/log.ts";
import { type AuditAuthor, type AuditIntent, entryText } from "./entry.ts";
import { beginEntryScript, endEntryScript, listEntriesScript } from "./scripts.ts";

/**
 * The operators' changes, kept in the store: the last ten thousand, newest first. A queue is in another slot of a
 * cluster than the log, so a change is logged before it is made, and again afterwards: if the edge dies in between, the
 * log shows an intent with an unknown outcome. Without the store nothing is changed and nothing is logged.
 */
export type AuditLog = {
  readonly begin: (intent: AuditIntent) => Promise<Intention>;
  /** For a script that makes its change and writes the entry at once. */
  readonly entry: (intent: AuditIntent) => { readonly text: string; readonly keep: number };
};

/** One of the two is called when it is clear what became of the intent. */
export type Intention = {
  /** `made`: the actual change, where it differs from the intent. */
  readonly done: (made?: AuditIntent) => Promise<void>;
  readonly dropped: () => Promise<void>;
};

const ENTRIES_KEPT = 10_000;
/** Longer than any operation takes. */
const STALE_MS = 30_000;

/** The end of a change is logged on a separate store budget: it must not fail because the change took long. */
type AuditStores = { readonly store: ScriptRunner; readonly endStore: ScriptRunner };

export function openAuditLog({ store, endStore }: AuditStores, author: AuditAuthor): AuditLog {
  return {
    entry: (intent) => ({ text: entryText(intent, author), keep: ENTRIES_KEPT }),
    async begin(intent) {
      const queue = intent.queueId ?? "";
      const entry = entryText(intent, author);
      const id = await beginEntryScript.run(store, {
        keys: auditKeys,
        args: { keep: ENTRIES_KEPT, staleMs: STALE_MS, queue, entry },
      });
      return {
        done: (made) => end({ id, queue, entry: made === undefined ? entry : entryText(made, author) }),
        dropped: () => end({ id, queue, entry: "" }),
      };
    },
  };

  /** Whether this succeeds or not, the change is made or not: the intent stays in the log with an unknown outcome. */
  async function end(args: { readonly id: string; readonly queue: string; readonly entry: string }): Promise<void> {
    try {
      await endEntryScript.run(endStore, { keys: auditKeys, args: { keep: ENTRIES_KEPT, ...args } });
    } catch (error) {
      log("error", "cannot write the end of a change to the audit log", { requestId: author.requestId, error });
    }
  }
}

type PageOptions = { readonly before: string; readonly limit: number; readonly queueId: string };

export type StoredEntry = { readonly id: string; readonly at: number; readonly outcome: string; readonly text: string };

export async function readAuditLog(store: ScriptRunner, { before, limit, queueId }: PageOptions) {
  const args = { keep: ENTRIES_KEPT, staleMs: STALE_MS, before, limit, queue: queueId };
  const { cursor, flat } = await listEntriesScript.run(store, { keys: auditKeys, args });
  const entries = Array.from({ length: flat.length / FIELDS_EACH }, (_, index): StoredEntry => {
    const [id = "", at = "", outcome = "", text = ""] = flat.slice(index * FIELDS_EACH);
    return { id, at: Number(at), outcome, text };
  });
  return { entries, cursor };
}

const FIELDS_EACH = 4;
