import { useState } from "preact/hooks";
import { AUDIT_ACTIONS } from "../../admin/audit/entry.ts";
import type { AuditEntry, AuditPage } from "./api-shapes.ts";
import { useConsole } from "./parts/console-context.ts";
import { ProblemNote } from "./parts/problem-note.tsx";
import { useHeading } from "./parts/use-heading.ts";
import { type ChangeRow, ChangeTable } from "./queue/confirm-change.tsx";
import { usePages } from "./use-pages.ts";
import { queueLink } from "./use-route.ts";
import { moment } from "./words.ts";

const PAGE_SIZE = 50;

/** The audit log, newest first. */
export function AuditView() {
  const heading = useHeading("Audit log");
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Audit log
        </h1>
      </div>
      <AuditEntries />
    </>
  );
}

export function AuditEntries({ queueId }: { readonly queueId?: string }) {
  const { api } = useConsole();
  const pages = usePages<AuditEntry>(queueId ?? "", async (cursor) => {
    const query = new URLSearchParams({
      limit: String(PAGE_SIZE),
      ...(queueId !== undefined && { queueId }),
      ...(cursor !== undefined && { cursor }),
    });
    const { entries, nextCursor } = (await api.get<AuditPage>(`/audit?${query}`)).body;
    return { items: entries, nextCursor };
  });
  return (
    <section class="card" aria-label="Changes">
      <div class="list-head">
        <h2>Changes</h2>
        <button type="button" onClick={pages.reload}>
          Refresh
        </button>
      </div>
      <ProblemNote failed={pages.error && { action: "Reading the audit log", kind: "read", error: pages.error }} />
      {pages.items.length === 0 && !pages.isReading && pages.error === undefined && (
        <p class="empty">Nothing has been changed yet.</p>
      )}
      <ol class="audit">
        {pages.items.map((entry) => (
          <Entry key={entry.id} entry={entry} showQueue={queueId === undefined} />
        ))}
      </ol>
      {pages.hasMore && (
        <button type="button" onClick={pages.readMore} disabled={pages.isReading}>
          Older
        </button>
      )}
    </section>
  );
}

function Entry({ entry, showQueue }: { readonly entry: AuditEntry; readonly showQueue: boolean }) {
  const { at, actor, action, queueId, before, after, requestId, outcome } = entry;
  const [isOpen, setOpen] = useState(false);
  const rows = changedRows(before, after);
  return (
    <li>
      <div class="audit-head">
        <b>{wordsOf(action)}</b>
        {showQueue && queueId !== null && (
          <a href={queueLink(queueId)}>
            <code>{queueId}</code>
          </a>
        )}
        {outcome === "unknown" && (
          <span class="badge" data-mode="paused">
            Outcome unknown
          </span>
        )}
        <time dateTime={new Date(at).toISOString()}>{moment(at)}</time>
      </div>
      {rows.length > 0 && <ChangeTable rows={isOpen ? rows : rows.slice(0, ROWS_SHOWN)} />}
      {rows.length > ROWS_SHOWN && (
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : `${rows.length - ROWS_SHOWN} more`}
        </button>
      )}
      <p class="fine">
        by {actor}, request <code>{requestId}</code>
      </p>
    </li>
  );
}

const ROWS_SHOWN = 4;

function wordsOf(action: string): string {
  const words: string = (AUDIT_ACTIONS as Readonly<Record<string, string>>)[action] ?? action;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The differences between the two, name by name; a list is shown as it is. */
function changedRows(before: unknown, after: unknown): readonly ChangeRow[] {
  const [old, current] = [asRecord(before), asRecord(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(current)]);
  return [...names]
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]))
    .map((name) => ({ name, before: old[name], after: current[name] }));
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  return typeof value === "object" && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : { entries: value };
}
