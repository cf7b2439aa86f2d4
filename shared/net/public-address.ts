/**
 * Blocks of addresses that do not belong to the public internet: IANA's registries of special addresses, and of IPv6
 * everything that was never given out. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is among them: it would be a
 * second spelling of each address. A request whose address is a user's choice must not reach any of them.
 */
export const SPECIAL_ADDRESS_BLOCKS: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "4000::/2",
  "8000::/1",
];

/** False for anything but an address. */
export function isPublicAddress(address: string): boolean {
  const bits = bitsOf(address);
  return (
    bits !== undefined &&
    !specialPrefixes.some(({ length, prefix }) => length === bits.length && bits.startsWith(prefix))
  );
}

export function isAddress(text: string): boolean {
  return bitsOf(text) !== undefined;
}

const DOTTED = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const GROUPS = 8;

const specialPrefixes = SPECIAL_ADDRESS_BLOCKS.map((block) => {
  const [address = "", prefixLength] = block.split("/");
  const bits = bitsOf(address) ?? "";
  return { length: bits.length, prefix: bits.slice(0, Number(prefixLength)) };
});

/** 32 or 128 binary digits. A URL parser reads the address first, so that every spelling of it becomes the same one. */
function bitsOf(address: string): string | undefined {
  const isV6 = address.includes(":");
  const url = isV6 ? `http://[${address.replace(/^\[|\]$|%.*$/g, "")}]/` : `http://${address}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (isV6) return groupsOf(hostname.slice(1, -1)).map(toBits(16)).join("");
  return DOTTED.test(hostname) ? hostname.split(".").map(Number).map(toBits(8)).join("") : undefined;
}

/** Of the form that URL parsers write: hexadecimal, with one gap at most. */
function groupsOf(address: string): readonly number[] {
  const [before = [], after] = address.split("::").map((side) => side.split(":").filter(Boolean));
  const gap = after === undefined ? [] : Array.from({ length: GROUPS - before.length - after.length }, () => "0");
  return [...before, ...gap, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
}

function toBits(length: number) {
  return (value: number) => value.toString(2).padStart(length, "0");
}
