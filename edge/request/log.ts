import { systemClock } from "../../shared/clock.ts";
import { redact } from "../../shared/http/redaction.ts";

type LogLevel = "info" | "warn" | "error";
type LogFields = Readonly<Record<string, unknown>>;

/**
 * One line of JSON per event, in the format of pino at the origin, so that one reader understands both. Every field
 * passes through redaction. A URL is logged by its path only: queries contain what people type.
 */
export function log(level: LogLevel, message: string, fields: LogFields = {}): void {
  const time = new Date(systemClock.nowMs()).toISOString();
  const line = JSON.stringify({ level, time, name: "edge", ...(redact(fields) as LogFields), msg: message });
  // biome-ignore lint/suspicious/noConsole: the console is workerd's only way out for a log line.
  console[level](line);
}
