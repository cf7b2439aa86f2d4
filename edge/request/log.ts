import { systemClock } from "../shared/clock.ts";
import { redact } from "../shared/redaction.ts";

type LogLevel = "info" | "warn" | "error";
type LogFields = Readonly<Record<string, unknown>>;

/**
 * One line of JSON per event, in the shape that pino writes on the other side, so that one reader understands both.
 * Every field passes through redaction. A URL is logged by its path alone: queries carry what people type.
 */
export function log(level: LogLevel, message: string, fields: LogFields = {}): void {
  const time = new Date(systemClock.nowMs()).toISOString();
  const line = JSON.stringify({ level, time, name: "edge", ...(redact(fields) as LogFields), msg: message });
  // biome-ignore lint/suspicious/noConsole: the console is workerd's only way out for a log line.
  console[level](line);
}
