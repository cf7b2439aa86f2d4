import type { z } from "zod";
import type { QueueRecord } from "../queue/registry.ts";
import type { queueSchema } from "./schemas.ts";

type QueueState = Pick<QueueRecord, "settings" | "version" | "waiting" | "active" | "admissionsPerSecond">;

/** A queue as operators see it: its settings, their version, and how full it is. A draw's seed is nobody's business, not even theirs. */
export function queueAnswer(
  queueId: string,
  { settings, version, waiting, active, admissionsPerSecond }: QueueState,
): z.input<typeof queueSchema> {
  return { queueId, ...settings, version, waiting, active, admissionsPerSecond };
}
