import { type Decision, decide, type GateFacts } from "../gate/decide.ts";
import { askEnding, type EndedSession } from "../gate/ending.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { HeldTicket, Presented } from "../gate/presented.ts";
import { redeem } from "../gate/redeem.ts";
import { beat, enter, type Turn } from "../gate/turn.ts";
import type { InviteFault } from "../room/invite-fault.ts";
import type { Invite } from "../token/invite.ts";
import type { BroughtInvite } from "./brought-invite.ts";

/** What the rules say in the end, and the line's last answer. */
export type Settled = {
  readonly decision: Exclude<Decision, { kind: "ask" }>;
  readonly turn: Turn | undefined;
  /** Why the invite that was brought did not help. */
  readonly fault: InviteFault | undefined;
};

/** What a visitor brings to the line. */
export type Brought = {
  readonly ticket: Presented<HeldTicket>;
  readonly invite: BroughtInvite | undefined;
  readonly address: string | undefined;
  /** A session that was ended before its time, shown by its pass or by the cookie of a ban. */
  readonly ended: EndedSession | undefined;
};

/** An ended session or a used invite is followed by a poll, a ticket that is used up by a join, and that is the most. */
const QUESTIONS_MAX = 3;

/** Asks the rules, and the line whenever the rules want to hear it: once for nearly everybody. */
export async function settle(queue: GuardedQueue, facts: Omit<GateFacts, "turn" | "invite">, brought: Brought): Promise<Settled> {
  const held = brought.ticket.state === "valid" ? brought.ticket.held : undefined;
  const invite = usableInvite(brought.invite, held);
  const whole = { ...facts, invite: invite === undefined ? "none" : "usable" } as const;
  let fault: InviteFault | undefined = brought.invite?.state === "faulty" ? brought.invite.fault : undefined;
  let turn: Turn | undefined;
  for (let questions = 0; questions <= QUESTIONS_MAX; questions++) {
    const decision = decide({ ...whole, turn: turn?.state ?? "unasked" });
    if (decision.kind !== "ask") return { decision, turn, fault };
    turn = await ask(queue, decision.verb, { held, invite, address: brought.address, ended: brought.ended });
    if (turn.state === "invite_used" || turn.state === "invite_revoked") fault = turn.state;
  }
  return { decision: { kind: "refuse", code: "store_unavailable" }, turn, fault };
}

type Asking = Pick<Brought, "address" | "ended"> & { readonly held: HeldTicket | undefined; readonly invite: Invite | undefined };

type Verb = Extract<Decision, { kind: "ask" }>["verb"];

function ask(queue: GuardedQueue, verb: Verb, { held, invite, address, ended }: Asking): Promise<Turn> {
  if (verb === "ending" && ended !== undefined) return askEnding(queue, ended);
  if (verb === "redeem" && invite !== undefined) return redeem(queue, { invite, held, address });
  return verb === "beat" && held !== undefined ? beat(queue, held, address) : enter(queue, address);
}

function usableInvite(invite: BroughtInvite | undefined, held: HeldTicket | undefined): Invite | undefined {
  return invite?.state === "valid" && isWorthUsing(invite.invite, held) ? invite.invite : undefined;
}

/** A better lane, or a place that is this person's on every device. */
export function isWorthUsing({ lane, person }: Invite, held: HeldTicket | undefined): boolean {
  if (held === undefined) return true;
  return lane > held.ticket.lane || (person !== undefined && !held.ticket.keyed);
}
