/** A host in the one spelling in which hosts are compared. */
export type PlainHost = {
  /** Without a port. Empty for a host that no pattern can name. */
  readonly name: string;
  readonly withPort: string;
};

let lastSite = "";
let lastPlainHost: PlainHost = { name: "", withPort: "" };

/**
 * The only place that normalises a host. URL parsers read `127.1`, `SHOP.example`, `sh%6fp.example` and `[0:0::1]` in one way; the dot that ends
 * a full name is removed. A name with an empty label (`shop.test..`) is no name in DNS, and servers disagree about it, so nothing matches it.
 * Nearly all requests name the same host, so the last answer is kept.
 */
export function plainHost(site: string): PlainHost {
  if (site !== lastSite) {
    lastPlainHost = readHost(site);
    lastSite = site;
  }
  return lastPlainHost;
}

const NAMELESS: PlainHost = { name: "", withPort: "" };
const EMPTY_LABEL = /^\.|\.\.|\.$/;

function readHost(site: string): PlainHost {
  const { protocol, hostname, port } = new URL(site);
  const name = hostname.replace(/\.$/, "");
  if (name === "" || EMPTY_LABEL.test(name)) return NAMELESS;
  return { name, withPort: `${name}:${port || (protocol === "https:" ? "443" : "80")}` };
}

/** Whether a host has a name at all. */
export function isNameless({ name }: PlainHost): boolean {
  return name === "";
}

/** Longer than any host name, so that every exact host comes before every suffix. */
const EXACT_HOST_RANK = 1_000;
const EVERY_HOST = "*";
const PORT = /:\d+$/;

export type HostPattern = {
  /** The higher, the more specific; 0 for every host. */
  readonly hostRank: number;
  readonly matchesHost: (host: PlainHost) => boolean;
};

/** `*`, a name, or `*.name`, with or without a port: without one, every port matches. */
export function compileHost(written: string): HostPattern {
  if (written === EVERY_HOST) return { hostRank: 0, matchesHost: () => true };
  const pattern = plainPattern(written);
  const compared = (host: PlainHost) => (PORT.test(written) ? host.withPort : host.name);
  if (!written.startsWith("*.")) {
    return { hostRank: EXACT_HOST_RANK + pattern.length, matchesHost: (host) => compared(host) === pattern };
  }
  const suffix = pattern.slice(1);
  return { hostRank: suffix.length, matchesHost: (host) => compared(host).endsWith(suffix) };
}

/** A pattern in the spelling of the hosts that it is compared with. A text that is no host stays as it is, and matches none. */
export function plainPattern(written: string): string {
  const [wildcard, rest] = written.startsWith("*.") ? ["*.", written.slice(2)] : ["", written];
  const site = `http://${rest}`;
  if (written === EVERY_HOST || !URL.canParse(site)) return written;
  const { name, withPort } = readHost(site);
  return wildcard + (PORT.test(written) ? withPort : name);
}
