import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { queueParams } from "./schemas.ts";

const flagText = z.enum(["true", "false"]).default("false");

/**
 * A queue goes only when it is empty and no route leads to it, or when told to: then its people lose their places, and its
 * routes go too, so that their addresses are no longer behind a queue.
 */
export const deleteQueue = defineOperation({
  method: "delete",
  path: "/admin/queues/{queueId}",
  id: "deleteQueue",
  summary: "Remove a queue; with people in it or routes to it only when forced, and then its routes go with it",
  params: queueParams,
  query: z.strictObject({ force: flagText.describe("true: although there are people in it or routes to it.") }),
  answers: { 204: { description: "Gone." } },
  refusals: ["queue_not_found", "queue_occupied", "queue_routed"],
  async run({ registry, routeTable, answer, refuse, changed }, { params: { queueId }, query }) {
    const force = query.force === "true";
    const { routes } = await routeTable.read();
    if (!force && routes.some((route) => route.queueId === queueId)) return refuse("queue_routed");
    const outcome = await registry.deleteQueue(queueId, { force });
    if (outcome === "occupied") return refuse("queue_occupied");
    // Also when nothing was there: an earlier attempt may have stopped half way, and a route may have come meanwhile.
    await routeTable.dropQueue(queueId);
    if (outcome === "none") return refuse("queue_not_found");
    changed("deleted a queue", { queueId, force });
    return answer(204);
  },
});
