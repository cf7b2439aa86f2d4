import { fail, ok, type Result } from "../result.ts";
import { type IpAddress, parseAddress } from "./ip-address.ts";

/** A network in CIDR notation (RFC 4632), of one family. */
export type IpRange = { readonly network: IpAddress; readonly prefixBits: number };

const FORM = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/;
/** A typing error must not name half of the internet. Providers assign nothing wider. */
const PREFIX_BITS_MIN = { 4: 8, 16: 16 } as const;

/** `10.0.0.0/8`, `2001:db8::/32`, or a single address. The reason is for the operator who wrote it. */
export function parseRange(text: string): Result<IpRange, string> {
  const [, address = "", prefix] = FORM.exec(text) ?? [];
  const network = address.includes("%") ? undefined : parseAddress(address);
  if (network === undefined) return fail("must be an address or a network like 10.0.0.0/8 or 2001:db8::/32");
  const bits = network.length * 8;
  // A prefix that was meant for IPv6 says nothing about the IPv4 address inside.
  if (prefix !== undefined && network.length === 4 && address.includes(":"))
    return fail("must write an IPv4 network as IPv4");
  const prefixBits = prefix === undefined ? bits : Number(prefix);
  if (prefixBits > bits) return fail(`must have a prefix of at most ${bits}`);
  const bitsMin = PREFIX_BITS_MIN[network.length === 4 ? 4 : 16];
  if (prefixBits < bitsMin) return fail(`must have a prefix of at least ${bitsMin} bits`);
  const range = { network, prefixBits };
  return isAllZeroBehind(range) ? ok(range) : fail("must have no bits behind its prefix");
}

export function isInRange(address: IpAddress, { network, prefixBits }: IpRange): boolean {
  if (address.length !== network.length) return false;
  return network.every((byte, index) => ((byte ^ (address[index] ?? 0)) & maskOf(prefixBits, index)) === 0);
}

function isAllZeroBehind({ network, prefixBits }: IpRange): boolean {
  return network.every((byte, index) => (byte & ~maskOf(prefixBits, index)) === 0);
}

/** Which bits of the byte at this place belong to the prefix. */
function maskOf(prefixBits: number, index: number): number {
  const bits = Math.min(8, Math.max(0, prefixBits - index * 8));
  return (0xff << (8 - bits)) & 0xff;
}
