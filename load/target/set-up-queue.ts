import { setTimeout as sleep } from "node:timers/promises";
import { type QueueSettings, queueSettingsSchema } from "../../edge/queue/settings.ts";
import { createOperator, type Operator, OperatorRefusal } from "./operator.ts";
import type { QueueLimits } from "./target.ts";

type QueueSetUp = {
  readonly urls: readonly [string, ...string[]];
  readonly adminToken: string;
  readonly queueId: string;
  readonly queue: Pick<QueueSettings, "maxActive" | "admissionRate"> & Partial<QueueSettings>;
};

/** What the gate promises for every edge. */
const IN_FORCE_MS_MAX = 2_000;

/** One queue before everything. Returns its limits, defaults included, when every edge knows of it. */
export async function setUpQueue({ urls, adminToken, queueId, queue }: QueueSetUp): Promise<QueueLimits> {
  const operator = createOperator({ url: urls[0], adminToken });
  await askUntilDone(operator, "POST", "/queues", { queueId, name: "Load test", ...queue });
  await askUntilDone(operator, "POST", "/routes", { host: "*", path: "/*", queueId });
  // The edge that was asked knows at once.
  if (urls.length > 1) await sleep(IN_FORCE_MS_MAX);
  const { maxActive, admissionRate, admissionBurst } = queueSettingsSchema.parse({ name: "Load test", ...queue });
  return { cap: maxActive, rate: admissionRate, burst: admissionBurst };
}

/** A store that has just started on a busy machine may be late for a second. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 500;

/** An answer of 503 leaves open whether it was done: then the next try finds it there. */
async function askUntilDone(operator: Operator, ...[method, path, body]: Parameters<Operator["ask"]>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await operator.ask(method, path, body);
      return;
    } catch (error) {
      const status = error instanceof OperatorRefusal ? error.status : undefined;
      if (status === 409 && tries > 1) return;
      if (status !== 503 || tries === TRIES_MAX) throw error;
      await sleep(TRY_AGAIN_MS);
    }
  }
}
