import { isPublicSite } from "../queue/target-url.ts";
import type { Visit } from "./read-visit.ts";

/** How one request goes out. */
export type Forwarding = {
  /** Gets the origin's headers as they came, with those that are between the origin and the gate. */
  readonly hear?: (headers: Headers) => void;
  /** The queue's own upstream, if it has one; it is asked under its own host, and told the visitor's in `x-forwarded-host`. */
  readonly targetUrl?: string | null;
};

/**
 * Operators cannot set such an address; but they could when it was set, or somebody else wrote it. What a name resolves to is looked at
 * where it is connected to.
 */
export function isForbiddenTarget({ configuration }: Visit, targetUrl: string): boolean {
  return !configuration.allowsPrivateTargets && !isPublicSite(targetUrl);
}
