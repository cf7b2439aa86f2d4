import { setTimeout as sleep } from "node:timers/promises";
import { type QueueSettings, queueSettingsSchema } from "../../edge/line/settings.ts";
import { createOperator, type Operator, OperatorRefusal } from "./operator.ts";
import type { QueueLimits } from "./target.ts";

type QueueSetUp = {
  readonly urls: readonly [string, ...string[]];
  readonly adminToken: string;
  readonly queueId: string;
  readonly queue: Pick<QueueSettings, "maxActive" | "admissionRate"> & Partial<QueueSettings>;
};

/** The gate's promise: every edge has a change by then. */
const IN_FORCE_MS_MAX = 2_000;

/** Protects every path with one queue. Returns its limits, with defaults, once every edge has them. */
export async function setUpQueue({ urls, adminToken, queueId, queue }: QueueSetUp): Promise<QueueLimits> {
  const operator = createOperator({ url: urls[0], adminToken });
  await askUntilDone(operator, "POST", "/queues", { queueId, name: "Load test", ...queue });
  await askUntilDone(operator, "POST", "/routes", { host: "*", path: "/*", queueId });
  // The edge that took the change has it at once.
  if (urls.length > 1) await sleep(IN_FORCE_MS_MAX);
  const { maxActive, admissionRate, admissionBurst } = queueSettingsSchema.parse({ name: "Load test", ...queue });
  return { cap: maxActive, rate: admissionRate, burst: admissionBurst };
}

/** On a busy machine a new store may be unavailable for a second. */
const TRIES_MAX = 20;
const TRY_AGAIN_MS = 500;

/** After 503 the outcome is unknown: a 409 of the next attempt means that the first succeeded. */
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
