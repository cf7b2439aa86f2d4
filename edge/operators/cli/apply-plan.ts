import type { EdgeClient } from "./edge-client.ts";
import type { Plan } from "./plan.ts";

type ApplyOptions = {
  /** Also queues with people in them. */
  readonly force: boolean;
  readonly say: (line: string) => void;
};

/**
 * Step by step, in an order in which every state in between is sound: queues come before the routes that lead to them,
 * and go after those. Each step is made only over what the plan was made from. Rejects at the first that fails; what
 * was done before has been said, and another run does the rest.
 */
export async function applyPlan(
  client: EdgeClient,
  { creations, changes, table, deletions }: Plan,
  { force, say }: ApplyOptions,
) {
  for (const { queueId, settings } of creations) {
    await client.send("POST", "/queues", { body: { queueId, ...settings } });
    say(`created ${queueId}`);
  }
  for (const { queueId, settings, current } of changes) {
    await client.send("PATCH", `/queues/${queueId}`, { body: settings, etag: current.etag });
    say(`changed ${queueId}`);
  }
  if (table !== undefined) {
    await client.send("PUT", "/routes", {
      body: { routes: table.routes, bypass: table.bypass },
      etag: table.before.etag,
    });
    say("replaced the routes");
  }
  for (const { queueId } of deletions) {
    await client.send("DELETE", `/queues/${queueId}${force ? "?force=true" : ""}`);
    say(`deleted ${queueId}`);
  }
}
