/** Who vouches for the client's address: workerd's own socket, or the Cloudflare network in front of the worker. */
export type ClientAddressSource = "socket" | "cloudflare";

type Arrival = { readonly cf?: unknown; readonly headers: { readonly get: (name: string) => string | null } };

/**
 * The address of the client as the platform saw it, never as the client claims it. Undefined where the platform does
 * not say: then the origin is told nothing, because a wrong address is worse than none.
 */
export function clientAddress(arrival: Arrival, source: ClientAddressSource): string | undefined {
  if (source === "cloudflare") return arrival.headers.get("cf-connecting-ip") ?? undefined;
  // workerd puts the peer here itself; on Cloudflare there is no such field, so a slip in the configuration invents nothing.
  const peer = (arrival.cf as { readonly clientIp?: unknown } | null | undefined)?.clientIp;
  return typeof peer === "string" ? withoutPort(peer) : undefined;
}

/** `10.0.0.1:5000` or `[::1]:5000`; a local socket has no such form and so no address. */
function withoutPort(peer: string): string | undefined {
  const end = peer.lastIndexOf(":");
  if (end <= 0) return undefined;
  return peer.startsWith("[") && peer.endsWith("]", end) ? peer.slice(1, end - 1) : peer.slice(0, end);
}
