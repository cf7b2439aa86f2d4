/** A path on this site, not `//elsewhere.test` or `/\elsewhere.test`, which browsers read as another site. */
const OWN_PATH = /^\/(?![/\\])/;

/** Path and query of an address on this host, or undefined: no redirect leads to another site. */
export function sameSitePath(url: string | null, host: string): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  const { host: named, pathname, search } = new URL(url);
  if (named !== host || !OWN_PATH.test(pathname) || pathname.startsWith("/_sluice/")) return undefined;
  return `${pathname}${search}`;
}
