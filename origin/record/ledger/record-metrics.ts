import { type Metric, metricsText } from "../../../shared/http/exposition.ts";
import type { Memory } from "../../commit/watch-memory.ts";
import type { LastAudit } from "../audit/keep-auditing.ts";
import type { Backlog } from "./backlog.ts";
import type { LedgerState } from "./keep-ledger.ts";

type RecordFacts = {
  readonly backlog: Backlog;
  readonly ledger: LedgerState | undefined;
  readonly tables: { readonly sequence: number | undefined; readonly entriesSkipped: number } | undefined;
  readonly audit: LastAudit | undefined;
  /** Set where regular audits run. */
  readonly auditAgeSeconds: number | undefined;
  readonly endedOrders: number | undefined;
  readonly memory: Memory;
};

/** Metrics of the permanent record in the text format of Prometheus. */
export function recordMetrics({
  backlog,
  ledger,
  tables,
  audit,
  auditAgeSeconds,
  endedOrders,
  memory,
}: RecordFacts): string {
  const metrics: readonly Metric[] = [
    {
      name: "backlog_entries",
      kind: "gauge",
      help: "Journal entries that PostgreSQL does not hold.",
      value: backlog.entries,
    },
    {
      name: "backlog_seconds",
      kind: "gauge",
      help: "Age of the oldest journal entry that PostgreSQL does not hold.",
      value: backlog.ageMs / 1_000,
    },
    {
      name: "backlog_bytes",
      kind: "gauge",
      help: "Size in Redis of the journal entries that PostgreSQL does not hold.",
      value: backlog.bytes,
    },
    {
      name: "backlog_full",
      kind: "gauge",
      help: "1 while new orders are refused.",
      value: backlog.level === "full" ? 1 : 0,
    },
    { name: "ledger_sequence", kind: "gauge", help: "The last journal entry in the ledger.", value: ledger?.sequence },
    {
      name: "ledger_halted",
      kind: "gauge",
      help: "1 when the ledger has stopped and needs an operator.",
      value: ledger && Number(ledger.haltedFor !== undefined),
    },
    {
      name: "ledger_away",
      kind: "gauge",
      help: "1 while PostgreSQL cannot be written to.",
      value: ledger && Number(ledger.isFailing),
    },
    {
      name: "ledger_entries_total",
      kind: "counter",
      help: "Journal entries that this process has posted.",
      value: ledger?.entriesWritten,
    },
    {
      name: "ledger_rows_total",
      kind: "counter",
      help: "Trades and postings that this process has written.",
      value: ledger?.rowsWritten,
    },
    { name: "ledger_parked_total", kind: "counter", help: "Entries that could not be posted.", value: ledger?.parked },
    {
      name: "tables_sequence",
      kind: "gauge",
      help: "The last journal entry in the write-behind tables.",
      value: tables?.sequence,
    },
    { name: "ended_orders", kind: "gauge", help: "Ended orders that Redis still holds.", value: endedOrders },
    { name: "redis_memory_bytes", kind: "gauge", help: "Memory that the venue's Redis uses.", value: memory.bytes },
    {
      name: "redis_memory_limit_bytes",
      kind: "gauge",
      help: "Memory limit of the venue's Redis; 0 when unknown.",
      value: memory.limitBytes,
    },
    {
      name: "audit_sequence",
      kind: "gauge",
      help: "The journal entry at which the last audit compared.",
      value: audit?.sequence,
    },
    {
      name: "audit_entries_read",
      kind: "gauge",
      help: "Ledger entries that the last audit checked.",
      value: audit?.entriesRead,
    },
    {
      name: "audit_seconds",
      kind: "gauge",
      help: "How long the last audit took.",
      value: audit && audit.tookMs / 1_000,
    },
    { name: "audit_faults", kind: "gauge", help: "Faults that the last audit found.", value: audit?.faults },
    {
      name: "audit_age_seconds",
      kind: "gauge",
      help: "Time since the last audit, or since the start.",
      value: auditAgeSeconds,
    },
  ];
  return metricsText("sluice_venue_", metrics);
}
