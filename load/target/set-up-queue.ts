import { setTimeout as sleep } from "node:timers/promises";
import { type QueueSettings, queueSettingsSchema } from "../../edge/queue/settings.ts";
import { createOperator } from "./operator.ts";

type QueueSetUp = {
  readonly urls: readonly [string, ...string[]];
  readonly adminToken: string;
  readonly queueId: string;
  readonly queue: Pick<QueueSettings, "maxActive" | "admissionRate"> & Partial<QueueSettings>;
};

/** What the gate promises for every edge. */
const IN_FORCE_MS_MAX = 2_000;

/** One queue before everything. Gives back how long a session of it is, when every edge knows of it. */
export async function setUpQueue({ urls, adminToken, queueId, queue }: QueueSetUp): Promise<number> {
  const operator = createOperator({ url: urls[0], adminToken });
  await operator.ask("POST", "/queues", { queueId, name: "Load test", ...queue });
  await operator.ask("PUT", "/routes", { routes: [{ host: "*", path: "/*", queueId }] });
  // The edge that was asked knows at once.
  if (urls.length > 1) await sleep(IN_FORCE_MS_MAX);
  return queueSettingsSchema.parse({ name: "Load test", ...queue }).sessionTtlSeconds;
}
