/** The bytes of an address: four, or sixteen. An IPv4-mapped IPv6 address is IPv4. */
export type IpAddress = readonly number[];

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** The characters of an IPv6 address: nothing else reaches the URL parser. */
const IPV6_CHARACTERS = /^[0-9A-Fa-f:.]{2,45}$/;
const IPV6_GROUPS = 8;
/** `::ffff:192.0.2.1`: how a socket for both families names a peer that came over IPv4 (RFC 4291, 2.5.5.2). */
const IPV4_IN_IPV6 = "0,0,0,0,0,0,0,0,0,0,255,255";
const IPV4_IN_IPV6_BYTES = 12;

/** Undefined for anything that is not one address: a name, a list, a port, an octal number. */
export function parseAddress(text: string): IpAddress | undefined {
  if (IPV4.test(text)) return text.split(".").map(Number);
  const address = text.includes(":") ? parseIpv6(text.split("%", 1)[0] ?? "") : undefined;
  if (address === undefined) return undefined;
  return address.slice(0, IPV4_IN_IPV6_BYTES).join() === IPV4_IN_IPV6 ? address.slice(IPV4_IN_IPV6_BYTES) : address;
}

/** The platform's URL parser knows every spelling of an IPv6 address and writes them all in one. */
function parseIpv6(text: string): IpAddress | undefined {
  const url = `http://[${text}]/`;
  if (!IPV6_CHARACTERS.test(text) || !URL.canParse(url)) return undefined;
  const [head = "", tail] = new URL(url).hostname.slice(1, -1).split("::", 2);
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = Array.from({ length: IPV6_GROUPS - first.length - last.length }, () => 0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

const HOUSEHOLD_BYTES = 8;

/**
 * The key under which an address is counted. An IPv6 household has a /64, so that one visitor could otherwise appear
 * under more addresses than there are visitors.
 */
export function addressIdentity(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.length === 4) return address.join(".");
  const hex = address.slice(0, HOUSEHOLD_BYTES).map((byte) => byte.toString(16).padStart(2, "0"));
  return `${hex.join("").replaceAll(/(....)(?=.)/g, "$1:")}::/64`;
}
