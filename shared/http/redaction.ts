/**
 * Removes secrets from logs. Both loggers (pino on Node, the edge's own) pass every field through here, so that a
 * secret is hidden by its name wherever it appears.
 */
const SECRET_NAME = /^(pass|ticket)$|password|secret|token|authorization|cookie|credential|private_?key|api_?key/i;
const REDACTED = "[redacted]";
const DEPTH_MAX = 6;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi;

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return "[too deep]";
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  const fields = Object.entries(value).map(
    ([name, field]) => [name, SECRET_NAME.test(name) ? REDACTED : redact(field, depth + 1)] as const,
  );
  return Object.fromEntries(fields);
}

/** Hides user and password in every URL of a text: `redis://user:pass@host` is how they leak most. */
export function redactText(text: string): string {
  return text.replace(URL_PASSWORD, `$1${REDACTED}@`);
}

/** Errors of @upstash/redis carry the whole command, arguments and all, behind this marker. */
const COMMAND_IN_MESSAGE = /, command was:[\s\S]*$/;

function redactError(error: Error, depth: number): unknown {
  const message = redactText(error.message.replace(COMMAND_IN_MESSAGE, ""));
  const fields: Record<string, unknown> = { name: error.name, message };
  if ("code" in error) fields["code"] = redact(error.code, depth + 1);
  if (error.cause !== undefined) fields["cause"] = redact(error.cause, depth + 1);
  if (error.stack !== undefined) fields["stack"] = redactText(error.stack.replace(error.message, () => message));
  return fields;
}
