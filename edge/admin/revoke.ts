import { acceptedForMs, PASS_LIFETIME_SECONDS_MAX } from "../../shared/admission.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { revokePassScript } from "../gate/revocation-scripts.ts";
import { queueKeys, revocationKey } from "../queue/keys.ts";
import { openLine } from "../queue/line.ts";
import { ticketLifeMs } from "../queue/settings.ts";
import type { Operator } from "./operator.ts";

type Revocation = { readonly queueId: QueueId; readonly reason: string } & ({ readonly sessionId: string } | { readonly jti: string });

/** A revocation outlives every pass that it speaks of. */
const KEEP_MS = acceptedForMs(PASS_LIFETIME_SECONDS_MAX * 1_000);

/** Ends a session with all its passes, or one pass alone. What the store does not know is recorded all the same: its pass may be good. */
export async function revoke(operator: Operator, revocation: Revocation): Promise<Response> {
  const { store, registry, refuse, intend, learnRevocation, answer } = operator;
  const { queueId, reason } = revocation;
  const record = await registry.readQueue(queueId);
  if (record === undefined) return refuse("queue_not_found");
  const { queueId: _queueId, ...after } = revocation;
  const intention = await intend({ action: "jti" in revocation ? "pass.revoke" : "session.end", queueId, before: null, after });
  if ("jti" in revocation) {
    const keys = { revoked: queueKeys(queueId).revoked, revocation: revocationKey(queueId, revocation.jti) };
    await revokePassScript.run(store, { keys, args: { jti: revocation.jti, reason, keepMs: KEEP_MS } });
  } else {
    // The random number spreads polls, and nobody polls here.
    const line = openLine({ store, queueId, ticketLifeMs: ticketLifeMs(record.settings), random: () => 0 });
    await line.end({ sessionId: revocation.sessionId, reason: "revoked", detail: reason });
  }
  learnRevocation(queueId, "jti" in revocation ? revocation.jti : revocation.sessionId);
  await intention.done();
  return answer(204);
}
