type AgeParts = { readonly last: () => unknown; readonly nowMs: () => number };

/** Seconds since another audit was seen than before, or since the start: a monitor that asks every few seconds learns when they stop. */
export function createAuditAge({ last, nowMs }: AgeParts): () => number {
  let known: unknown;
  let sinceMs = nowMs();
  return () => {
    const current = last();
    if (current !== known) sinceMs = nowMs();
    known = current;
    return (nowMs() - sinceMs) / 1_000;
  };
}
