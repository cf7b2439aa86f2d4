import { unreachable } from "../../shared/assert.ts";
import type { ErrorCode } from "../../shared/errors.ts";
import type { Phase } from "../queue/schedule.ts";
import type { QueueSettings } from "../queue/settings.ts";

/**
 * What becomes of a request for a protected URL: all rules of the gate in one place, without a clock, a store or a header.
 * It is asked once with what the request brings along; if it answers `ask`, the line is asked and the rules are asked again with
 * its answer. Whatever is not foreseen is refused.
 */
export function decide(facts: GateFacts): Decision {
  const { queue } = facts;
  if (queue === "none") return { kind: "forward", pass: "none" };
  if (queue === "bypassed") return { kind: "forward", pass: "open" };
  if (queue === "unknown") return facts.pass === "valid" ? { kind: "forward", pass: "presented" } : refuse("store_unavailable");
  if (queue === "missing") return refuse("queue_unavailable");
  if (facts.pass === "valid") return { kind: "forward", pass: "presented" };
  if (queue.mode === "open") return { kind: "forward", pass: "open" };
  if (queue.mode === "maintenance") return refuse("queue_maintenance");
  return facts.turn === "unasked" ? beforeAsking(facts, queue) : afterAsking(facts, queue, facts.turn);
}

export type GateFacts = {
  /**
   * "none": no route leads to a queue. "bypassed": a rule leads past it. "unknown": the store was never heard, so that nobody
   * knows its settings or even whether there is one. "missing": a route names one that is not there.
   */
  readonly queue: "none" | "bypassed" | "unknown" | "missing" | QueueFacts;
  readonly wants: Wants;
  readonly asks: Asks;
  /** Where no route is known, a pass is valid only where its own scope leads here. "slotless": of an open queue, and as good as none. */
  readonly pass: "none" | "valid" | "invalid" | "revoked" | "slotless";
  /** "shown": the browser shows that a session of this visitor was revoked and banned, whatever else it shows. */
  readonly ban: "none" | "shown";
  readonly ticket: "none" | "valid" | "invalid";
  /** "usable": signed for this queue, and it promises more than the visitor has. An invite that does not hold is as good as none. */
  readonly invite: "none" | "usable";
  /** "owed": newcomers of this queue have to prove work, and this one has not. */
  readonly proof: "settled" | "owed";
  readonly turn: "unasked" | TurnState;
};

type QueueFacts = Pick<QueueSettings, "mode" | "onStoreFailure"> & {
  readonly phase: Phase | "unsure";
  /** "failing": the last call got no answer. Only of interest where nobody asks it anyway. */
  readonly store: "answering" | "failing";
};

/**
 * "part": not a visit of its own, but a part of a page (a picture, a style sheet, a script, a frame of another site) or fetched ahead: it
 * never joins the line, because nobody would come back with the place. "otherSite": sent from a page of another site in a way that browsers
 * send no cookies along with (a form): its visitor may hold a place or a pass, so that nothing may be given out that replaces them.
 */
export type Asks = "visitor" | "part" | "otherSite";

/**
 * What the client can do with an answer. A `page` is shown to a person, `json` is read by a program; who takes neither (an
 * image, a style sheet) is `other`. An `action` (any other method, or a WebSocket) must never look done when it was not: it is not
 * kept and not repeated, its client asks again. A `form` is an action whose answer a person will see. A `preflight`
 * comes without cookies by its standard, so it can neither show a pass nor keep a place.
 */
export type Wants = "page" | "json" | "other" | "form" | "action" | "preflight";

export type TurnState =
  | "waiting"
  | "scheduled"
  | "admitted"
  | "ended"
  | "revoked"
  | "closed"
  | "over"
  | "full"
  | "address_limit"
  | "invite_used"
  | "invite_revoked"
  | "proof_spent"
  | "rate_limited"
  | "missing"
  | "unavailable"
  | "failed";

export type Decision =
  | { readonly kind: "forward"; readonly pass: "none" | "presented" | "new" | "open" }
  | { readonly kind: "ask"; readonly verb: "enter" | "beat" | "redeem" | "ending" }
  | { readonly kind: "challenge" }
  /** "early": there is no place to take yet. */
  | { readonly kind: "wait" | "early"; readonly as: WaitingForm }
  /** The session was revoked: nothing is carried out, and nobody joins again by just coming back. */
  | { readonly kind: "revoked"; readonly as: WaitingForm }
  | { readonly kind: "refuse"; readonly code: ErrorCode };

/** `refusal` and `refusalPage` say the same as `json` and `page`, and that nothing was carried out. */
export type WaitingForm = "page" | "json" | "problem" | "refusal" | "refusalPage";

const WAITING_FORMS: Readonly<Record<Wants, WaitingForm>> = {
  page: "page",
  json: "json",
  other: "problem",
  form: "refusalPage",
  action: "refusal",
  preflight: "refusal",
};

/** An invalid ticket or pass counts as missing: its holder joins as a newcomer. How a session was ended only the store knows. */
function beforeAsking({ wants, asks, pass, ban, ticket, invite, proof }: GateFacts, queue: QueueFacts): Decision {
  const { mode } = queue;
  if (wants === "preflight") return refuse("token_invalid");
  if (asks === "part") return isOpenForOutage(queue) ? { kind: "forward", pass: "open" } : refuse("queue_waiting");
  if (ban === "shown" || (pass === "revoked" && ticket !== "valid")) return { kind: "ask", verb: "ending" };
  if (asks === "otherSite" && ticket !== "valid") return refuse("other_site_form");
  if (invite === "usable" && (ticket === "valid" || mode !== "drain")) return { kind: "ask", verb: "redeem" };
  return ticket === "valid" ? { kind: "ask", verb: "beat" } : asNewcomer(proof, mode);
}

/** Pages are let in without a pass then, so that their parts come without one too. */
function isOpenForOutage({ onStoreFailure, phase, store }: QueueFacts): boolean {
  return onStoreFailure === "open" && phase === "open" && store === "failing";
}

function asNewcomer(proof: GateFacts["proof"], mode: QueueFacts["mode"]): Decision {
  if (mode === "drain") return refuse("queue_closed");
  return proof === "owed" ? { kind: "challenge" } : { kind: "ask", verb: "enter" };
}

function afterAsking(facts: GateFacts, queue: QueueFacts, turn: TurnState): Decision {
  const { wants, asks, proof } = facts;
  const { mode, onStoreFailure, phase } = queue;
  switch (turn) {
    case "admitted":
      return { kind: "forward", pass: "new" };
    case "waiting":
      return { kind: "wait", as: WAITING_FORMS[wants] };
    case "scheduled":
      return { kind: "early", as: WAITING_FORMS[wants] };
    case "ended":
      // Used up, over or completed: whoever comes back is a newcomer.
      return asks === "otherSite" ? refuse("other_site_form") : asNewcomer(proof, mode);
    case "revoked":
      return { kind: "revoked", as: WAITING_FORMS[wants] };
    case "invite_used":
    case "invite_revoked":
      return beforeAsking({ ...facts, invite: "none" }, queue);
    case "proof_spent":
      return { kind: "challenge" };
    case "unavailable":
      // Nothing opens early, and nothing that is over opens again, because a store is away.
      return onStoreFailure === "open" && phase === "open" ? { kind: "forward", pass: "open" } : refuse("store_unavailable");
    case "closed":
      return refuse("queue_closed");
    case "over":
      return refuse("event_over");
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
