import { z } from "zod";
import { INVITE_LIFETIME_SECONDS_MAX, INVITE_USES_MAX } from "../../../tokens/invite.ts";
import { defineOperation } from "../operation.ts";
import { answerSchemas, bodySchemas, inviteIdField, queueParams } from "../schemas.ts";

const LIFETIME_MS_MAX = INVITE_LIFETIME_SECONDS_MAX * 1_000;
/** A week: long enough for a letter, short enough to be forgotten. */
const LIFETIME_MS_DEFAULT = 7 * 86_400_000;
/** A shorter one would expire before it is used. */
const LIFETIME_MS_MIN = 1_000;

const laneField = z.literal([0, 1, 2, 3]).describe("0 normal, 1 elevated, 2 VIP, 3 premium: the higher goes first.");
const usesField = z.int().min(1).max(INVITE_USES_MAX);
const expiresAtField = z.int().min(0).describe("In ms since 1970.");

const newInviteSchema = z
  .strictObject({
    lane: laneField,
    uses: usesField.default(1).describe("How many places it is good for."),
    expiresAt: expiresAtField.optional().describe("In ms since 1970; within 90 days. Left out: in a week."),
    key: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe(
        "The person it is for, an account or an address: one place on every device and with every invite of this key.",
      ),
    note: z.string().trim().min(1).max(200).optional().describe("Only for the audit log."),
  })
  .register(bodySchemas, { id: "NewInvite" });

const inviteSchema = z
  .strictObject({
    invite: z.string().describe("A JWT. Give it to the visitor as `?sluice-invite=` on a protected URL."),
    inviteId: inviteIdField,
    lane: laneField,
    uses: usesField,
    expiresAt: expiresAtField,
  })
  .register(answerSchemas, { id: "Invite" });

/** Nothing is stored: the invite is signed, and its uses are counted where it is used. */
export const createInvite = defineOperation({
  method: "post",
  path: "/admin/queues/{queueId}/invites",
  id: "createInvite",
  summary: "Sign an invite to a place in its lane",
  params: queueParams,
  body: { schema: newInviteSchema },
  answers: { 201: { description: "Signed. It is not shown again.", schema: inviteSchema } },
  refusals: ["queue_not_found"],
  async run({ registry, storeNowMs, signInvite, answer, refuse, intend }, { params: { queueId }, body }) {
    const { lane, uses, key, note } = body;
    if ((await registry.readQueue(queueId)) === undefined) return refuse("queue_not_found");
    const nowMs = await storeNowMs(queueId);
    const expiresAt = body.expiresAt ?? nowMs + LIFETIME_MS_DEFAULT;
    const lifetimeMs = expiresAt - nowMs;
    if (lifetimeMs < LIFETIME_MS_MIN || lifetimeMs > LIFETIME_MS_MAX) {
      return refuse("validation_failed", {
        errors: [{ field: "expiresAt", message: "must lie ahead, within 90 days" }],
      });
    }
    const { invite, inviteId } = await signInvite({ queueId, lane, uses, key, expiresAtMs: expiresAt });
    // Nothing is stored but this, so without it the invite is not given out.
    const after = { inviteId, lane, uses, expiresAt, isKeyed: key !== undefined, note };
    await (await intend({ action: "invite.create", queueId, before: null, after })).done();
    return answer(201, { invite, inviteId, lane, uses, expiresAt });
  },
});
