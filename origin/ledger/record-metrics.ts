import type { LastAudit } from "../audit/keep-auditing.ts";
import type { Memory } from "../redis/watch-memory.ts";
import { type Metric, metricsText } from "../system/metrics-text.ts";
import type { Backlog } from "./backlog.ts";
import type { LedgerState } from "./keep-ledger.ts";

type RecordFacts = {
  readonly backlog: Backlog;
  readonly ledger: LedgerState | undefined;
  readonly tables: { readonly sequence: number | undefined; readonly entriesSkipped: number } | undefined;
  readonly audit: LastAudit | undefined;
  /** Where audits are made by the clock. */
  readonly auditAgeSeconds: number | undefined;
  readonly endedOrders: number | undefined;
  readonly memory: Memory;
};

/** What a monitor should watch of the permanent record, in the text format of Prometheus. */
export function recordMetrics({ backlog, ledger, tables, audit, auditAgeSeconds, endedOrders, memory }: RecordFacts): string {
  const metrics: readonly Metric[] = [
    { name: "backlog_entries", kind: "gauge", help: "Journal entries that PostgreSQL does not hold.", value: backlog.entries },
    { name: "backlog_seconds", kind: "gauge", help: "Age of the oldest of them.", value: backlog.ageMs / 1_000 },
    { name: "backlog_bytes", kind: "gauge", help: "What they take in Redis.", value: backlog.bytes },
    { name: "backlog_full", kind: "gauge", help: "1 while nothing new is taken.", value: backlog.level === "full" ? 1 : 0 },
    { name: "ledger_sequence", kind: "gauge", help: "The last journal entry in the ledger.", value: ledger?.sequence },
    {
      name: "ledger_halted",
      kind: "gauge",
      help: "1 when the ledger does not go on by itself.",
      value: ledger && Number(ledger.haltedFor !== undefined),
    },
    {
      name: "ledger_away",
      kind: "gauge",
      help: "1 while PostgreSQL cannot be written to.",
      value: ledger && Number(ledger.awaySinceMs !== undefined),
    },
    { name: "ledger_entries_total", kind: "counter", help: "Journal entries that this process has posted.", value: ledger?.entriesWritten },
    { name: "ledger_rows_total", kind: "counter", help: "Trades and postings that this process has written.", value: ledger?.rowsWritten },
    { name: "ledger_parked_total", kind: "counter", help: "Entries that could not be posted.", value: ledger?.parked },
    { name: "tables_sequence", kind: "gauge", help: "Where the write-behind stands.", value: tables?.sequence },
    { name: "ended_orders", kind: "gauge", help: "Ended orders that Redis still holds.", value: endedOrders },
    { name: "redis_memory_bytes", kind: "gauge", help: "Memory that the venue's Redis uses.", value: memory.bytes },
    { name: "redis_memory_limit_bytes", kind: "gauge", help: "Memory that it may use; 0 when not known.", value: memory.limitBytes },
    { name: "audit_sequence", kind: "gauge", help: "Where the last audit compared.", value: audit?.sequence },
    { name: "audit_entries_read", kind: "gauge", help: "Ledger entries that the last audit went through.", value: audit?.entriesRead },
    { name: "audit_seconds", kind: "gauge", help: "How long the last audit took.", value: audit && audit.tookMs / 1_000 },
    { name: "audit_faults", kind: "gauge", help: "What the last audit found.", value: audit?.faults },
    { name: "audit_age_seconds", kind: "gauge", help: "Time since the last audit, or since the start.", value: auditAgeSeconds },
  ];
  return metricsText("sluice_venue_", metrics);
}
