import { unreachable } from "../../shared/assert.ts";
import type { ErrorCode } from "../../shared/http/errors.ts";
import type { Phase } from "../line/schedule.ts";
import type { QueueSettings } from "../line/settings.ts";

/**
 * The rules of the gate, for all three doors: a protected URL, `enter` and `heartbeat`. A pure function without a
 * clock, a store or a header. `settle` calls it with the facts of the request; while the decision is `ask`, `settle`
 * asks the line and calls it again with the answer. An unexpected answer is refused.
 */
export function decide(facts: GateFacts): Decision {
  const { door, queue, pass } = facts;
  if (queue === "none") return forward("none");
  if (queue === "bypassed") return forward("open");
  if (queue === "unknown") return pass === "valid" ? withPass(door) : refuse("store_unavailable");
  if (queue === "missing") return refuse(door === "url" ? "queue_unavailable" : "queue_not_found");
  if (pass === "valid") return withPass(door);
  if (door === "url") return atUrl(facts, queue);
  if (pass === "slotless" && queue.mode === "open") return { kind: "inside" };
  return door === "enter" ? atEnter(facts, queue) : atHeartbeat(facts, queue);
}

export type GateFacts = {
  readonly door: Door;
  /**
   * "none": no route leads to a queue. "bypassed": a bypass rule matches. "unknown": this isolate has never reached the
   * store, so it knows neither routes nor settings. "missing": the queue does not exist.
   */
  readonly queue: "none" | "bypassed" | "unknown" | "missing" | QueueFacts;
  readonly wants: Wants;
  readonly asks: Asks;
  /** Without known routes a pass is valid only if its own scope covers the URL. "slotless": issued by an open queue. */
  readonly pass: "none" | "valid" | "invalid" | "revoked" | "slotless";
  /** "shown": a cookie says that a session of this visitor was revoked and banned. */
  readonly ban: "none" | "shown";
  readonly ticket: "none" | "valid" | "invalid";
  /** "usable": signed for this queue, and better than the visitor's present place. */
  readonly invite: "none" | "usable" | "invite_invalid" | "invite_expired";
  /** "owed": the queue requires proof of work and the request has none. "refused": the request's proof is wrong. */
  readonly proof: "settled" | "owed" | "refused";
  /** The last question to the line, and its answer. */
  readonly asked: "nothing" | Verb;
  readonly turn: "unasked" | TurnState;
};

export type Door = "url" | "enter" | "heartbeat";

type QueueFacts = Pick<QueueSettings, "mode" | "onStoreFailure"> & {
  readonly phase: Phase | "unsure";
  /** "failing": the last store call failed. Used only where no store call follows. */
  readonly store: "answering" | "failing";
};

/**
 * "part": a part of a page (an image, a style sheet, a script, a frame of another site) or a prefetch: it never joins
 * the line, because its place would never be polled. "otherSite": a form on a page of another site, which browsers send
 * without cookies: the visitor may have a place or a pass, so the answer must not replace them.
 */
export type Asks = "visitor" | "part" | "otherSite";

/**
 * The kind of answer that the client can use. `page`: a person. `json`: a program. `other`: neither (an image, a style
 * sheet). `action` (any other method, or a WebSocket): the answer must never look like success when the request was not
 * forwarded; the request is neither kept nor repeated. `form`: an action whose answer a person sees. `preflight`: by
 * its standard it has no cookies, so it can neither present a pass nor keep a place.
 */
export type Wants = "page" | "json" | "other" | "form" | "action" | "preflight";

/** `walkIn` needs no store: an open queue gives out passes without a slot. */
export type Verb = "enter" | "beat" | "redeem" | "ending" | "walkIn";

export type TurnState =
  | "waiting"
  | "scheduled"
  | "admitted"
  | "ended"
  | "revoked"
  /** Revoked, and the ban is not over. */
  | "banned"
  | keyof typeof TURN_ERRORS;

/** The error of each turn that has neither a place nor a session. */
const TURN_ERRORS = {
  closed: "queue_closed",
  over: "event_over",
  full: "queue_full",
  address_limit: "address_limit",
  invite_used: "invite_used",
  invite_revoked: "invite_revoked",
  proof_spent: "proof_refused",
  rate_limited: "rate_limited",
  missing: "queue_unavailable",
  unavailable: "store_unavailable",
  failed: "store_unavailable",
} as const satisfies Record<string, ErrorCode>;

export type Decision =
  | { readonly kind: "ask"; readonly verb: Verb }
  | { readonly kind: "challenge"; readonly code: "proof_required" | "proof_refused" }
  /** The session was revoked. The request is not forwarded, and the visitor does not join again automatically. */
  | { readonly kind: "revoked"; readonly as: WaitingForm }
  | { readonly kind: "refuse"; readonly code: ErrorCode }
  | UrlDecision
  | OwnDecision;

/** Only at a protected URL. */
type UrlDecision =
  | { readonly kind: "forward"; readonly pass: "none" | "presented" | "new" | "open" }
  /** "early": places cannot be taken yet. */
  | { readonly kind: "wait" | "early"; readonly as: WaitingForm };

/**
 * Only at `enter` and `heartbeat`. `tell`: the turn as JSON. `inside`: the pass is valid. `expired`: it was of an open
 * queue.
 */
type OwnDecision = { readonly kind: "tell" } | { readonly kind: "inside" } | { readonly kind: "expired" };

/** `refusal` and `refusalPage` say the same as `json` and `page`, and that the request was not forwarded. */
export type WaitingForm = "page" | "json" | "problem" | "refusal" | "refusalPage";

const WAITING_FORMS: Readonly<Record<Wants, WaitingForm>> = {
  page: "page",
  json: "json",
  other: "problem",
  form: "refusalPage",
  action: "refusal",
  preflight: "refusal",
};

function withPass(door: Door): Decision {
  return door === "url" ? forward("presented") : { kind: "inside" };
}

function atUrl(facts: GateFacts, queue: QueueFacts): Decision {
  if (queue.mode === "open") return forward("open");
  if (queue.mode === "maintenance") return refuse("queue_maintenance");
  return facts.turn === "unasked" ? beforeAsking(facts, queue) : afterAsking(facts, queue, facts.turn);
}

/**
 * An invalid ticket or pass counts as missing: its holder joins as a newcomer. Only the store knows how a session
 * ended.
 */
function beforeAsking(facts: GateFacts, queue: QueueFacts): Decision {
  const { wants, asks, pass, ban, ticket, invite } = facts;
  if (wants === "preflight") return refuse("token_invalid");
  if (asks === "part") return isOpenForOutage(queue) ? forward("open") : refuse("queue_waiting");
  if (ban === "shown" || (pass === "revoked" && ticket !== "valid")) return ask("ending");
  if (asks === "otherSite" && ticket !== "valid") return refuse("other_site_form");
  if (invite === "usable" && (ticket === "valid" || queue.mode !== "drain")) return ask("redeem");
  return ticket === "valid" ? ask("beat") : asNewcomer(facts, queue);
}

/** Pages are forwarded without a pass then, so their parts have none either. */
function isOpenForOutage({ onStoreFailure, phase, store }: QueueFacts): boolean {
  return onStoreFailure === "open" && phase === "open" && store === "failing";
}

function afterAsking(facts: GateFacts, queue: QueueFacts, turn: TurnState): Decision {
  const as = WAITING_FORMS[facts.wants];
  switch (turn) {
    case "admitted":
      return forward("new");
    case "waiting":
      return { kind: "wait", as };
    case "scheduled":
      return { kind: "early", as };
    case "ended":
      // Used, expired or completed: a visitor who comes back is a newcomer.
      return facts.asks === "otherSite" ? refuse("other_site_form") : asNewcomer(facts, queue);
    case "revoked":
    case "banned":
      return { kind: "revoked", as };
    case "invite_used":
    case "invite_revoked":
      return beforeAsking({ ...facts, invite: "none" }, queue);
    case "proof_spent":
      return { kind: "challenge", code: "proof_required" };
    case "unavailable":
      // An unavailable store opens nothing before its time and nothing that is over.
      return queue.onStoreFailure === "open" && queue.phase === "open" ? forward("open") : refuse(TURN_ERRORS[turn]);
    default:
      return refuse(TURN_ERRORS[turn]);
  }
}

/** The only door that leads back after a revocation, once the ban is over. */
function atEnter(facts: GateFacts, queue: QueueFacts): Decision {
  const { pass, ban, asked, turn } = facts;
  const revoked = { kind: "revoked", as: facts.wants === "form" ? "refusalPage" : "problem" } as const;
  if (asked === "nothing" && (ban === "shown" || pass === "revoked")) return ask("ending");
  if (turn === "banned") return revoked;
  if (asked === "nothing" || asked === "ending") return takePlace(facts, queue);
  if (asked === "beat" && (turn === "ended" || turn === "revoked")) return asNewcomer(facts, queue);
  if (turn === "revoked") return revoked;
  return turn === "proof_spent" ? { kind: "challenge", code: "proof_refused" } : tell(turn);
}

function takePlace(facts: GateFacts, queue: QueueFacts): Decision {
  const { invite, ticket } = facts;
  if (queue.mode === "maintenance") return refuse("queue_maintenance");
  if (queue.mode === "open") return ask("walkIn");
  switch (invite) {
    case "invite_invalid":
    case "invite_expired":
      return refuse(invite);
    case "usable":
      return ask("redeem");
    case "none":
      return ticket === "valid" ? ask("beat") : asNewcomer(facts, queue);
    default:
      return unreachable(invite);
  }
}

/**
 * A poll is answered in every mode. The line of an open queue does not move, so its visitors get a pass without a slot.
 */
function atHeartbeat({ pass, ticket, turn }: GateFacts, { mode }: QueueFacts): Decision {
  if (turn !== "unasked") return tell(turn);
  if (ticket === "valid") return ask(mode === "open" ? "walkIn" : "beat");
  if (pass === "revoked") return ask("ending");
  return pass === "slotless" ? { kind: "expired" } : refuse("token_invalid");
}

function tell(turn: GateFacts["turn"]): Decision {
  switch (turn) {
    case "waiting":
    case "scheduled":
    case "admitted":
    case "ended":
    case "revoked":
    case "banned":
      return { kind: "tell" };
    case "unasked":
      return refuse("store_unavailable");
    default:
      return refuse(TURN_ERRORS[turn]);
  }
}

/** In mode drain `enter` still asks the line: before an event opens, the answer is `scheduled`. */
function asNewcomer({ door, proof }: GateFacts, { mode }: QueueFacts): Decision {
  if (mode === "drain") return door === "url" ? refuse("queue_closed") : ask("enter");
  if (proof === "settled") return ask("enter");
  return { kind: "challenge", code: proof === "owed" ? "proof_required" : "proof_refused" };
}

function forward(pass: Extract<Decision, { kind: "forward" }>["pass"]): Decision {
  return { kind: "forward", pass };
}

function ask(verb: Verb): Decision {
  return { kind: "ask", verb };
}

function refuse(code: ErrorCode): Decision {
  return { kind: "refuse", code };
}
