import { z } from "zod";
import { type QueueSettings, queueSettingsSchema } from "../queue/settings.ts";
import { etagOf, matchesEtag } from "./etag.ts";
import { fieldFaults } from "./field-faults.ts";
import { defineOperation } from "./operation.ts";
import { queueAnswer } from "./queue-answer.ts";
import { queueChangeSchema, queueParams, queueSchema } from "./schemas.ts";

/** Somebody else wins each lost try; with more than that at once, the operator should look at what the others do. */
const TRIES_MAX = 4;

/** A smaller limit sends nobody away who is in: those inside stay until they leave or their time is over. */
export const changeQueue = defineOperation({
  method: "patch",
  path: "/admin/queues/{queueId}",
  id: "changeQueue",
  summary: "Change some settings of a queue; in force everywhere within 2 s, and nobody who is in is sent away",
  params: queueParams,
  headers: z.strictObject({ "if-match": z.string().optional().describe("Change only what you have seen: the ETag of a read.") }),
  body: { schema: queueChangeSchema },
  answers: { 200: { description: "As it is now.", schema: queueSchema, headers: { etag: "The version of its settings." } } },
  refusals: ["queue_not_found", "version_conflict"],
  async run({ registry, header, answer, refuse, changed }, { params: { queueId }, body }) {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const record = await registry.readQueue(queueId);
      if (record === undefined) return refuse("queue_not_found");
      if (!matchesEtag(header("if-match"), record.version)) return refuse("version_conflict");
      // The whole is checked, not the change alone: a rule between two settings holds whichever of them changes.
      const merged = queueSettingsSchema.safeParse({ ...record.settings, ...body });
      if (!merged.success) return refuse("validation_failed", { errors: fieldFaults(merged.error) });
      const version = await registry.writeQueue(queueId, merged.data, record.version);
      if (version === undefined) continue;
      changed("changed a queue", { queueId, version, changes: changesBetween(record.settings, merged.data) });
      return answer(200, queueAnswer(queueId, { ...record, settings: merged.data, version }), { etag: etagOf(version) });
    }
    return refuse("version_conflict");
  },
});

function changesBetween(before: QueueSettings, after: QueueSettings) {
  const names = Object.keys(after) as (keyof QueueSettings)[];
  const changed = names.filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}
