import type { GuardedQueue } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import type { Visit } from "../proxy/read-visit.ts";
import type { InviteFault } from "../room/invite-fault.ts";
import type { Invite } from "../token/invite.ts";

type UnreadableInvite = Extract<InviteFault, "invite_invalid" | "invite_expired">;

export type BroughtInvite =
  | { readonly state: "valid"; readonly invite: Invite }
  | { readonly state: "faulty"; readonly fault: UnreadableInvite };

/** Named as it is written in a link. */
const PARAMETER = "sluice-invite=";

/**
 * The invite on a protected URL, and the visit without it: the origin, its logs and the address bar never see it. Undefined where there is
 * none, as nearly always. Two different ones are none that can be used.
 */
export function takeInvite(visit: Visit): { readonly text: string; readonly visit: Visit } | undefined {
  const { target } = visit;
  if (!target.query.includes(PARAMETER)) return undefined;
  const pairs = target.query.slice(1).split("&");
  const texts = new Set(pairs.filter((pair) => pair.startsWith(PARAMETER)).map((pair) => pair.slice(PARAMETER.length)));
  if (texts.size === 0) return undefined;
  const kept = pairs.filter((pair) => !pair.startsWith(PARAMETER)).join("&");
  const [text = ""] = texts.size === 1 ? texts : [];
  return { text, visit: { ...visit, target: { ...target, query: kept === "" ? "" : `?${kept}`, isAsSent: false } } };
}

/** What is forged, foreign or malformed looks the same from outside; that a good one has run out may be known. */
export async function readInvite(queue: GuardedQueue, text: string): Promise<BroughtInvite> {
  const { gate, queueId } = queue;
  const read = await gate.tokens.readInvite(text, { queueId, nowMs: gate.clock.nowMs() });
  if (read.ok) return { state: "valid", invite: read.value };
  log("info", "an invite was refused", { queueId, reason: read.reason });
  return { state: "faulty", fault: read.reason === "expired" ? "invite_expired" : "invite_invalid" };
}
