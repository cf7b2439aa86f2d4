import type { z } from "zod";
import type { QueueRecord } from "../queue/registry.ts";
import type { queueSchema } from "./schemas.ts";

/** A queue as operators see it: its settings, their version, and how full it is. */
export function queueAnswer(queueId: string, { settings, ...state }: QueueRecord): z.input<typeof queueSchema> {
  return { queueId, ...settings, ...state };
}
