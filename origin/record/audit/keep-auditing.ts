import type { Logger } from "pino";
import type { AuditReport } from "./run-audit.ts";
import type { RunningAudit } from "./start-audit.ts";

/** The regular audit: everything new since the last clean one, and a stretch of older entries. */
export type KeptAudits = {
  readonly last: () => LastAudit | undefined;
  /** Since the last report, or since the start: a monitor notices when audits stop. */
  readonly ageSeconds: () => number;
  readonly stop: () => Promise<void>;
};

export type LastAudit = {
  readonly sequence: number;
  readonly faults: number;
  readonly entriesRead: number;
  readonly tookMs: number;
};

type AuditParts = {
  readonly start: () => RunningAudit;
  readonly log: Logger;
  readonly intervalMs: number;
  /** Called with every report. */
  readonly onReport: (report: AuditReport) => Promise<void>;
};

export function keepAuditing({ start, log, intervalMs, onReport }: AuditParts): KeptAudits {
  let last: LastAudit | undefined;
  let lastAtMs = performance.now();
  let running: RunningAudit | undefined;
  let isStopping = false;

  async function audit(): Promise<void> {
    const startedAtMs = performance.now();
    try {
      running = start();
      const report = await running.report;
      const { sequence, entriesRead, isClean, lines } = report;
      const faults = lines.reduce((sum, { faultCount }) => sum + faultCount, 0);
      lastAtMs = performance.now();
      last = { sequence, faults, entriesRead, tookMs: Math.round(lastAtMs - startedAtMs) };
      if (isClean) log.info(last, "the audit is clean");
      else
        log.error(
          { ...last, faults: lines.flatMap((line) => line.faults) },
          "the audit found differences; npm run audit shows them",
        );
      await onReport(report);
    } catch (error) {
      if (!isStopping) log.warn({ err: error }, "the audit failed");
    } finally {
      running = undefined;
      if (!isStopping) timer.refresh();
    }
  }

  const timer = setTimeout(() => void audit(), intervalMs);
  timer.unref();
  return {
    last: () => last,
    ageSeconds: () => (performance.now() - lastAtMs) / 1_000,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running?.stop();
    },
  };
}
