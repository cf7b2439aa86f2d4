/** The placeholders of an operator's text, in double braces. */
export const PLACEHOLDERS = ["queueName", "position", "total", "wait"] as const;

type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = /\{\{\s*(\w*)\s*\}\}/g;

/** Replaces the placeholders. The result is plain text: the caller escapes it. */
export function fillPlaceholders(text: string, values: Readonly<Record<Placeholder, string>>): string {
  return text.replace(PLACEHOLDER, (_whole, name: string) => values[name as Placeholder]);
}

export function hasKnownPlaceholders(text: string): boolean {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name);
  return names.every((name) => PLACEHOLDERS.some((known) => known === name));
}
