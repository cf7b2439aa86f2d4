import { type Logger, pino } from "pino";
import { redact } from "../../shared/http/redaction.ts";

/** One JSON line per event on stdout. Every field passes the shared redaction before it is written. */
export function createLogger(name: string, destination?: { write(line: string): void }): Logger {
  const options = {
    name,
    level: process.env["SLUICE_LOG_LEVEL"] ?? "info",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redact(fields) as Record<string, unknown>,
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
