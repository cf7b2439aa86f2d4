import { z } from "zod";
import { fieldFaults } from "../../../../shared/http/field-faults.ts";
import { type QueueSettings, queueSettingsSchema } from "../../../line/settings.ts";
import type { Intention } from "../audit/audit-log.ts";
import { etagOf, matchesEtag } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { queueChangeSchema, queueParams, queueSchema } from "../schemas.ts";
import { queueAnswer } from "./read-queue.ts";

/** Each lost try is a concurrent change; after this many the operator should look at the others' changes. */
const TRIES_MAX = 4;

/** A lower limit ends no session: admitted visitors stay until they leave or their time is over. */
export const changeQueue = defineOperation({
  method: "patch",
  path: "/admin/queues/{queueId}",
  id: "changeQueue",
  summary: "Change some settings of a queue; in force everywhere within 2 s; no session ends",
  params: queueParams,
  headers: z.strictObject({
    "if-match": z.string().optional().describe("Change only what you have seen: the ETag of a read."),
  }),
  body: { schema: queueChangeSchema },
  answers: {
    200: { description: "As it is now.", schema: queueSchema, headers: { etag: "The version of its settings." } },
  },
  refusals: ["queue_not_found", "version_conflict"],
  async run({ registry, header, answer, refuse, intend, targetFaults }, { params: { queueId }, body }) {
    const errors = targetFaults(body.targetUrl);
    if (errors.length > 0) return refuse("validation_failed", { errors });
    let intention: Intention | undefined;
    /** Also after a lost try, when an intent is written down already. */
    async function giveUp(...refusal: Parameters<typeof refuse>): Promise<Response> {
      await intention?.dropped();
      return refuse(...refusal);
    }

    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const record = await registry.readQueue(queueId);
      if (record === undefined) return giveUp("queue_not_found");
      if (!matchesEtag(header("if-match"), record.version)) return giveUp("version_conflict");
      // The whole queue is checked, not only the change: a rule between two settings applies whichever of them changes.
      const merged = queueSettingsSchema.safeParse({ ...record.settings, ...body });
      if (!merged.success) return giveUp("validation_failed", { errors: fieldFaults(merged.error) });
      const change = { action: "queue.change", queueId, ...changesBetween(record.settings, merged.data) } as const;
      intention ??= await intend(change);
      const version = await registry.writeQueue(queueId, merged.data, record.version);
      if (version === undefined) continue;
      if (typeof version !== "number") return giveUp("validation_failed", { errors: [version] });
      await intention.done(change);
      return answer(200, queueAnswer(queueId, { ...record, settings: merged.data, version }), {
        etag: etagOf(version),
      });
    }
    return giveUp("version_conflict");
  },
});

function changesBetween(before: QueueSettings, after: QueueSettings) {
  const names = Object.keys(after) as (keyof QueueSettings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const only = (settings: QueueSettings) => Object.fromEntries(changed.map((name) => [name, settings[name]]));
  return { before: only(before), after: only(after) };
}
