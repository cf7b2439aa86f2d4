import { assert, unreachable } from "../../shared/assert.ts";
import { log } from "../request/log.ts";
import type { InviteFault } from "../room/invite-fault.ts";
import type { Invite } from "../tokens/invite.ts";
import { type Decision, decide, type GateFacts, type Verb } from "./decide.ts";
import type { GuardedQueue } from "./open-gate.ts";
import type { HeldTicket } from "./presented.ts";
import type { CheckedProof } from "./proof-of-work.ts";
import { redeem } from "./redeem.ts";
import { askEnding, type EndedSession } from "./sessions/ending.ts";
import { beat, enter, type Turn, walkIn } from "./turn.ts";

/** The final decision, and the line's last answer. */
export type Settled = {
  readonly decision: Exclude<Decision, { kind: "ask" }>;
  readonly asked: GateFacts["asked"];
  readonly turn: Turn | undefined;
  /** Why the request's invite had no effect. */
  readonly fault: InviteFault | undefined;
};

/** The tokens of the request that the line needs. */
export type Brought = {
  readonly held?: HeldTicket | undefined;
  readonly invite?: BroughtInvite | undefined;
  readonly proof?: CheckedProof | undefined;
  /** A session that was ended early, known from its pass or from the cookie of a ban. */
  readonly ended?: EndedSession | undefined;
};

/** At most: how the session ended, a poll with its ticket, a join. */
const QUESTIONS_MAX = 3;

type FactsOfRequest = Omit<GateFacts, "queue" | "invite" | "asked" | "turn">;

/** Asks the rules, and the line as often as the rules want: once for nearly every request. */
export async function settle(queue: GuardedQueue, request: FactsOfRequest, brought: Brought): Promise<Settled> {
  const invite = usableInvite(brought);
  const known = { ...request, queue: queueFacts(queue), invite: inviteFact(brought, invite) };
  const isOnPurpose = request.door === "enter";
  let fault: InviteFault | undefined = brought.invite?.state === "faulty" ? brought.invite.fault : undefined;
  let asked: GateFacts["asked"] = "nothing";
  let turn: Turn | undefined;
  for (let questions = 0; questions <= QUESTIONS_MAX; questions++) {
    const decision = decide({ ...known, asked, turn: turn === undefined ? "unasked" : turnFact(turn) });
    if (decision.kind !== "ask") return { decision, asked, turn, fault };
    asked = decision.verb;
    turn = await ask(queue, asked, { ...brought, invite, isOnPurpose });
    if (turn.state === "invite_used" || turn.state === "invite_revoked") fault = turn.state;
  }
  return { decision: { kind: "refuse", code: "store_unavailable" }, asked, turn, fault };
}

function queueFacts({ settings, phase, gate }: GuardedQueue): GateFacts["queue"] {
  const { mode, onStoreFailure } = settings;
  return { mode, onStoreFailure, phase, store: gate.store.isFailing() ? "failing" : "answering" };
}

function turnFact(turn: Turn): GateFacts["turn"] {
  return turn.state === "revoked" && turn.banLeftMs > 0 ? "banned" : turn.state;
}

function inviteFact({ invite }: Brought, usable: Invite | undefined): GateFacts["invite"] {
  if (invite?.state === "faulty") return invite.fault;
  return usable === undefined ? "none" : "usable";
}

/** An invite is worth using for a better lane, or for a place that belongs to this person on every device. */
function usableInvite({ invite, held }: Brought): Invite | undefined {
  if (invite?.state !== "valid") return undefined;
  const { lane, person } = invite.invite;
  const isBetter = held === undefined || lane > held.ticket.lane || (person !== undefined && !held.ticket.keyed);
  return isBetter ? invite.invite : undefined;
}

type Question = Omit<Brought, "invite"> & { readonly invite: Invite | undefined; readonly isOnPurpose: boolean };

function ask(queue: GuardedQueue, verb: Verb, { held, invite, proof, ended, isOnPurpose }: Question): Promise<Turn> {
  switch (verb) {
    case "ending":
      assert(ended !== undefined, "a session that may be revoked is known");
      return askEnding(queue, ended);
    case "redeem":
      assert(invite !== undefined, "a usable invite was read");
      return redeem(queue, { invite, held, isOnPurpose });
    case "beat":
      assert(held !== undefined, "a valid ticket was read");
      return beat(queue, held);
    case "enter":
      return enter(queue, proof);
    case "walkIn":
      return walkIn(queue);
    default:
      return unreachable(verb);
  }
}

type UnreadableInvite = Extract<InviteFault, "invite_invalid" | "invite_expired">;

export type BroughtInvite =
  | { readonly state: "valid"; readonly invite: Invite }
  | { readonly state: "faulty"; readonly fault: UnreadableInvite };

/** A forged, foreign or malformed invite gets one answer; an expired one may be named as such. */
export async function readInvite(queue: GuardedQueue, text: string): Promise<BroughtInvite> {
  const { gate, queueId } = queue;
  const read = await gate.tokens.readInvite(text, { queueId, nowMs: gate.clock.nowMs() });
  if (read.ok) return { state: "valid", invite: read.value };
  log("info", "an invite was refused", { queueId, reason: read.reason });
  return { state: "faulty", fault: read.reason === "expired" ? "invite_expired" : "invite_invalid" };
}
