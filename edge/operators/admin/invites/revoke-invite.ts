import { acceptedForMs } from "../../../../shared/tokens/admission.ts";
import { inviteKey, queueKeys } from "../../../line/keys.ts";
import { INVITE_LIFETIME_SECONDS_MAX } from "../../../tokens/invite.ts";
import { defineOperation } from "../operation.ts";
import { inviteIdField, queueParams } from "../schemas.ts";
import { revokeInviteScript } from "../scripts.ts";

/** Longer than any invite. */
const KEEP_MS = acceptedForMs(INVITE_LIFETIME_SECONDS_MAX * 1_000);

export const revokeInvite = defineOperation({
  method: "delete",
  path: "/admin/queues/{queueId}/invites/{inviteId}",
  id: "revokeInvite",
  summary: "Revoke an invite: it gives no more places; visitors who have one keep it",
  params: queueParams.extend({ inviteId: inviteIdField }),
  answers: { 204: { description: "Revoked, also if it was never used. A repeated request changes nothing." } },
  refusals: ["queue_not_found"],
  async run({ store, answer, refuse, intend }, { params: { queueId, inviteId } }) {
    const keys = { meta: queueKeys(queueId).meta, invite: inviteKey(queueId, inviteId) };
    const intention = await intend({ action: "invite.revoke", queueId, before: { inviteId }, after: null });
    if ((await revokeInviteScript.run(store, { keys, args: { keepMs: KEEP_MS } })) === 0) {
      await intention.dropped();
      return refuse("queue_not_found");
    }
    await intention.done();
    return answer(204);
  },
});
