import { unreachable } from "../../shared/assert.ts";
import type { ErrorCode } from "../../shared/errors.ts";
import type { QueueSettings } from "../queue/settings.ts";

/**
 * What becomes of a request for a protected URL: all rules of the gate in one place, without a clock, a store or a header.
 * It is asked once with what the request brings along; if it answers `ask`, the line is asked and the rules are asked again with
 * its answer. Whatever is not foreseen is refused.
 */
export function decide(facts: GateFacts): Decision {
  const { queue } = facts;
  if (queue === "none") return { kind: "forward", pass: "none" };
  if (queue === "unknown") return refuse("store_unavailable");
  if (queue === "missing") return refuse("queue_unavailable");
  if (facts.pass === "valid") return { kind: "forward", pass: "presented" };
  if (queue.mode === "open") return { kind: "forward", pass: "open" };
  if (queue.mode === "maintenance") return refuse("queue_maintenance");
  return facts.turn === "unasked" ? beforeAsking(facts, queue) : afterAsking(facts, queue, facts.turn);
}

export type GateFacts = {
  /** "none": no route leads to a queue. "unknown": nobody knows, the store was never heard. "missing": a route names one that is not there. */
  readonly queue: "none" | "unknown" | "missing" | QueueFacts;
  readonly wants: Wants;
  readonly pass: "none" | "valid" | "invalid" | "revoked";
  readonly ticket: "none" | "valid" | "invalid";
  readonly turn: "unasked" | TurnState;
};

type QueueFacts = Pick<QueueSettings, "mode" | "onStoreFailure">;

/**
 * What the client can do with an answer. A `page` is shown to a person, `json` is read by a program. An `action` (any other
 * method, or a WebSocket) must never look done when it was not: it is not kept and not repeated, its client asks again. A
 * `preflight` comes without cookies by its standard, so it can neither show a pass nor keep a place.
 */
export type Wants = "page" | "json" | "action" | "preflight";

export type TurnState =
  | "waiting"
  | "admitted"
  | "ended"
  | "closed"
  | "full"
  | "address_limit"
  | "rate_limited"
  | "missing"
  | "unavailable"
  | "failed";

export type Decision =
  | { readonly kind: "forward"; readonly pass: "none" | "presented" | "new" | "open" }
  | { readonly kind: "ask"; readonly verb: "enter" | "beat" }
  | { readonly kind: "wait"; readonly as: "page" | "json" | "refusal" }
  | { readonly kind: "refuse"; readonly code: ErrorCode };

/** A ticket or pass that does not hold is as good as none: its holder joins anew. */
function beforeAsking({ wants, ticket }: GateFacts, { mode }: QueueFacts): Decision {
  if (wants === "preflight") return refuse("token_invalid");
  if (ticket === "valid") return { kind: "ask", verb: "beat" };
  return mode === "drain" ? refuse("queue_closed") : { kind: "ask", verb: "enter" };
}

function afterAsking({ wants }: GateFacts, { mode, onStoreFailure }: QueueFacts, turn: TurnState): Decision {
  switch (turn) {
    case "admitted":
      return { kind: "forward", pass: "new" };
    case "waiting":
      return { kind: "wait", as: wants === "page" || wants === "json" ? wants : "refusal" };
    case "ended":
      // The ticket was used up; whoever comes back with it is a newcomer.
      return mode === "drain" ? refuse("queue_closed") : { kind: "ask", verb: "enter" };
    case "unavailable":
      return onStoreFailure === "open" ? { kind: "forward", pass: "open" } : refuse("store_unavailable");
    case "closed":
      return refuse("queue_closed");
    case "full":
      return refuse("queue_full");
    case "address_limit":
      return refuse("address_limit");
    case "rate_limited":
      return refuse("rate_limited");
    case "missing":
      return refuse("queue_unavailable");
    case "failed":
      return refuse("store_unavailable");
    default:
      return unreachable(turn);
  }
}

function refuse(code: ErrorCode): Decision {
  return { kind: "refuse", code };
}
