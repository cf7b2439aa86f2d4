import type { Context } from "hono";
import type { EdgeEnvironment } from "./env.ts";
import type { Forwarding } from "./proxy/forwarding.ts";
import type { Visit } from "./proxy/read-visit.ts";
import type { SessionWatch } from "./proxy/session-watch.ts";

/** What differs between the runtimes that the edge runs in. Everything else is the same app. */
export type Platform = {
  /** Keeps work alive that goes on after the answer. */
  readonly later: (c: Context<EdgeEnvironment>, work: Promise<unknown>) => void;
  /**
   * Sends a request to the origin and brings the answer back, with every promise of `proxy/forward.ts`.
   */
  readonly forward: (visit: Visit, forwarding?: Forwarding) => Promise<Response>;
  /** Puts somebody in charge of an answer that is a WebSocket, who closes it when its session is over. */
  readonly watchSocket: (response: Response, watch: SessionWatch) => Response;
};

/** On either runtime an answer that is a WebSocket carries it under this name. */
export function isSocket(response: Response): boolean {
  return Boolean((response as { readonly webSocket?: unknown }).webSocket);
}

/**
 * An answer whose headers may be written to. What a worker gets from the origin may not, so it is copied, which is dear. Every other
 * answer is the thing itself: a copy would lose how its body is sent.
 */
export function writable(response: Response): Response {
  try {
    // Changes nothing; headers that may not be written to refuse it all the same.
    response.headers.delete(NO_HEADER);
    return response;
  } catch {
    return new Response(response.body, response);
  }
}

const NO_HEADER = "x-sluice-none";
