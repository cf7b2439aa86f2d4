/** What one proxy wrote into `Forwarded`, as far as it matters here. */
export type ForwardedElement = {
  readonly for?: string | undefined;
  readonly proto?: string | undefined;
  readonly host?: string | undefined;
};

/** RFC 7239, 4: pairs separated by semicolons, elements by commas; a value is a token or a quoted string. */
const PAIR = /\s*([!#$%&'*+\-.^`|~\w]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))\s*(;|,|$)/y;
/** More proxies than any request passes. */
const PAIRS_MAX = 64;

/** Undefined for a text that cannot be read, or that says one thing twice. Parameters that are not known here are skipped. */
export function parseForwarded(value: string | null): readonly ForwardedElement[] | undefined {
  if (value === null || value.trim() === "") return [];
  const elements: Map<string, string>[] = [new Map()];
  PAIR.lastIndex = 0;
  for (let pairs = 0; pairs < PAIRS_MAX; pairs++) {
    const [whole, name = "", quoted, token, end] = PAIR.exec(value) ?? [];
    const element = elements.at(-1);
    if (whole === undefined || element === undefined || element.has(name.toLowerCase())) return undefined;
    element.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? token ?? "");
    if (end === "") return elements.map((pairsOf) => ({ for: pairsOf.get("for"), proto: pairsOf.get("proto"), host: pairsOf.get("host") }));
    if (end === ",") elements.push(new Map());
  }
  return undefined;
}
