import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { copyOf, runAudit } from "./run-audit.ts";
import { START_OF_WALK, type Walk } from "./walk-ledger.ts";

/** The audit by the clock. What one has been through the next one need not go through again; after a start all of it is read once. */
export type KeptAudits = { readonly last: () => LastAudit | undefined; readonly stop: () => void };
export type LastAudit = { readonly sequence: number; readonly faults: number };

type AuditParts = { readonly database: Database; readonly redis: Redis; readonly log: Logger; readonly intervalMs: number };

export function keepAuditing({ database, redis, log, intervalMs }: AuditParts): KeptAudits {
  let from: Walk = START_OF_WALK;
  let last: LastAudit | undefined;

  async function audit(): Promise<void> {
    try {
      const report = await runAudit({ database, redis, from: copyOf(from), withRestore: false });
      last = { sequence: report.sequence, faults: report.lines.reduce((sum, { faultCount }) => sum + faultCount, 0) };
      if (report.isClean) {
        from = report.walk;
        log.info(last, "the audit is clean");
      } else
        log.error(
          { ...last, faults: report.lines.flatMap(({ faults }) => faults) },
          "the audit has found differences: npm run audit shows them",
        );
    } catch (error) {
      log.warn({ err: error }, "the audit could not be made");
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void audit(), intervalMs);
  timer.unref();
  return { last: () => last, stop: () => clearTimeout(timer) };
}
