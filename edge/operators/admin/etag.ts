/** A strong ETag (RFC 9110, 8.8.3): `"3"`. */
export function etagOf(version: number | string): string {
  return `"${version}"`;
}

/** `If-Match` compares strongly, so a weak tag never matches; without the header everything does. */
export function matchesEtag(ifMatch: string | undefined, version: number | string): boolean {
  if (ifMatch === undefined) return true;
  const tags = ifMatch.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(etagOf(version));
}
