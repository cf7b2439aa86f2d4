/** A path of ours, and not `//elsewhere.test` or `/\elsewhere.test`, which browsers read as another site. */
const OWN_PATH = /^\/(?![/\\])/;

/** Path and query of an address on this very host, or undefined: nobody is sent to another site from here. */
export function sameSitePath(url: string | null, host: string): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  const { host: named, pathname, search } = new URL(url);
  if (named !== host || !OWN_PATH.test(pathname) || pathname.startsWith("/_sluice/")) return undefined;
  return `${pathname}${search}`;
}
