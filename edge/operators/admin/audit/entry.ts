import { redact } from "../../../../shared/http/redaction.ts";

/** Everything an operator can change. A new operation that changes something adds its name and its text here. */
export const AUDIT_ACTIONS = {
  "queue.create": "created a queue",
  "queue.change": "changed a queue",
  "queue.delete": "deleted a queue",
  "routes.replace": "replaced the routes",
  "routes.add": "added a route",
  "routes.remove": "removed a route",
  "session.end": "revoked",
  "pass.revoke": "revoked",
  "invite.create": "signed an invite",
  "invite.revoke": "took an invite back",
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** An intended or completed change. `before` and `after` hold the differences; null for what does not exist. */
export type AuditIntent = {
  readonly action: AuditAction;
  readonly queueId: string | null;
  readonly before: unknown;
  readonly after: unknown;
};

export type AuditAuthor = { readonly actor: string; readonly requestId: string };

const TEXT_CHARS_MAX = 200;
const ITEMS_MAX = 50;
const DEPTH_MAX = 5;
/** Some thousand entries must not weigh more than the queues they speak of. */
const SIDE_CHARS_MAX = 8_000;

/** As stored. */
export function entryText(intent: AuditIntent, { actor, requestId }: AuditAuthor): string {
  const { action, queueId, before, after } = presentable(intent);
  return JSON.stringify({ actor, action, queueId, before, after, requestId });
}

/** Without secrets, and never longer than it needs to be to tell what happened. */
export function presentable({ action, queueId, before, after }: AuditIntent): AuditIntent {
  return { action, queueId, before: bounded(before), after: bounded(after) };
}

function bounded(side: unknown): unknown {
  const short = shorten(redact(side ?? null), 0);
  const text = JSON.stringify(short);
  return text.length <= SIDE_CHARS_MAX ? short : `${text.slice(0, TEXT_CHARS_MAX)}… (${text.length} characters)`;
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === "string") {
    return value.length <= TEXT_CHARS_MAX ? value : `${value.slice(0, TEXT_CHARS_MAX)}… (${value.length} characters)`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => shorten(item, depth + 1));
    return value.length <= ITEMS_MAX ? items : [...items, `… (${value.length} in all)`];
  }
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shorten(field, depth + 1)]));
}
