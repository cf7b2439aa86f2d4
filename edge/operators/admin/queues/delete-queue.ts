import { z } from "zod";
import { defineOperation } from "../operation.ts";
import { queueParams } from "../schemas.ts";

const flagText = z.enum(["true", "false"]).default("false");

/**
 * A queue goes only when it is empty and no route leads to it, or when told to: then its people lose their places, and
 * its routes go too, so that their addresses are no longer behind a queue.
 */
export const deleteQueue = defineOperation({
  method: "delete",
  path: "/admin/queues/{queueId}",
  id: "deleteQueue",
  summary: "Delete a queue; with visitors in it or routes to it only when forced, and then its routes too",
  params: queueParams,
  query: z.strictObject({ force: flagText.describe("true: also with visitors in it or routes to it.") }),
  answers: { 204: { description: "Deleted." } },
  refusals: ["queue_not_found", "queue_occupied", "queue_routed"],
  async run({ registry, routeTable, answer, refuse, intend }, { params: { queueId }, query }) {
    const force = query.force === "true";
    const [table, record] = await Promise.all([routeTable.read(), registry.readQueue(queueId)]);
    const routes = table.routes.filter((route) => route.queueId === queueId).map(({ host, path }) => `${host}${path}`);
    if (!force && routes.length > 0) return refuse("queue_routed");
    const before =
      record === undefined ? null : { ...record.settings, waiting: record.waiting, active: record.active, routes };
    const intention = await intend({ action: "queue.delete", queueId, before, after: null });
    const outcome = await registry.deleteQueue(queueId, { force });
    if (outcome !== "deleted") await intention.dropped();
    if (outcome === "occupied") return refuse("queue_occupied");
    // Also when nothing was there: an earlier attempt may have stopped half way, and a route may have come meanwhile.
    await routeTable.dropQueue(queueId);
    if (outcome === "none") return refuse("queue_not_found");
    await intention.done();
    return answer(204);
  },
});
