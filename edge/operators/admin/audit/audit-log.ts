import type { ScriptRunner } from "../../../shared/define-script.ts";
import { log } from "../../log.ts";
import { auditKeys } from "../../queue/keys.ts";
import { type AuditAuthor, type AuditIntent, entryText } from "./entry.ts";
import { beginEntryScript, endEntryScript, listEntriesScript } from "./scripts.ts";

/**
 * Who changed what, kept in the store: the last ten thousand changes, newest first for whoever reads them. A queue lives in another slot
 * of a cluster than the log, so a change is written down before it is made, and again when it was: if the edge dies in
 * between, the log tells that somebody was about to make it and that nobody knows whether it was made. Without the store
 * nothing is changed and nothing is logged.
 */
export type AuditLog = {
  readonly begin: (intent: AuditIntent) => Promise<Intention>;
  /** For a script that makes its change and writes the entry at once. */
  readonly entry: (intent: AuditIntent) => { readonly text: string; readonly keep: number };
};

/** One of the two is called when it is clear what became of the intent. */
export type Intention = {
  /** `made`: what was done in the end, where that is not what was intended at first. */
  readonly done: (made?: AuditIntent) => Promise<void>;
  readonly dropped: () => Promise<void>;
};

const ENTRIES_KEPT = 10_000;
/** Longer than any operation takes. */
const STALE_MS = 30_000;

/** What is said at the end is said on a store of its own: it must not fail because the change took long. */
type AuditStores = { readonly store: ScriptRunner; readonly endStore: ScriptRunner };

export function openAuditLog({ store, endStore }: AuditStores, author: AuditAuthor): AuditLog {
  return {
    entry: (intent) => ({ text: entryText(intent, author), keep: ENTRIES_KEPT }),
    async begin(intent) {
      const queue = intent.queueId ?? "";
      const entry = entryText(intent, author);
      const id = await beginEntryScript.run(store, { keys: auditKeys, args: { keep: ENTRIES_KEPT, staleMs: STALE_MS, queue, entry } });
      return {
        done: (made) => end({ id, queue, entry: made === undefined ? entry : entryText(made, author) }),
        dropped: () => end({ id, queue, entry: "" }),
      };
    },
  };

  /** The change is made or not, whatever becomes of this: the intent stays, and is told as one whose end is not known. */
  async function end(args: { readonly id: string; readonly queue: string; readonly entry: string }): Promise<void> {
    try {
      await endEntryScript.run(endStore, { keys: auditKeys, args: { keep: ENTRIES_KEPT, ...args } });
    } catch (error) {
      log("error", "the end of a change could not be written to the audit log", { requestId: author.requestId, error });
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
